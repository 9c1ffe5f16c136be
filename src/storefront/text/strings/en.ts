// The storefront in English.
import type { Words } from "./strings"

export const en: Words = {
  skip: "Skip to content",
  menu: "Main",
  footer: "Footer",
  pagination: "Pages",
  breadcrumb: "You are here",
  home: "Home",
  previous: "Previous",
  next: "Next",
  pageOf: (page, last) => `Page ${page} of ${last}`,
  by: (author) => `by ${author}`,
  poweredBy: "Powered by",
  opening: "The doors open soon: we are unpacking the first things.",
  notFound: "This page is not here.",
  notFoundHint: "It may have moved, or its address has a typing error.",
  backHome: "Back to the front page",
  preparing: "We are setting up.",
  preparingHint: "The shop opens in a moment. This page looks again by itself.",
  suspended: "This shop is closed for now.",
  suspendedHint: "If it is yours, sign in to the platform to bring it back.",
  unavailable: "This shop cannot be shown right now.",
  unavailableHint: "We are looking into it. Please try again in a while.",
  unknownHost: "There is no shop here.",
  unknownHostHint: (host) => `Nothing is served at ${host}. Please check the address.`,
}
