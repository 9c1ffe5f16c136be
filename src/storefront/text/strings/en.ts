// Storefront interface strings in English.
import type { StorefrontStrings } from "./types"

export const en: StorefrontStrings = {
  skip: "Skip to content",
  menu: "Main",
  footer: "Footer",
  pagination: "Pagination",
  breadcrumb: "Breadcrumb",
  home: "Home",
  previous: "Previous",
  next: "Next",
  pageOf: (page, last) => `Page ${page} of ${last}`,
  by: (author) => `by ${author}`,
  poweredBy: "Powered by",
  opening: "Opening soon. We’re getting things ready.",
  notFound: "Page not found",
  notFoundHint: "The page may have moved, or the URL is mistyped.",
  backHome: "Back to home",
  preparing: "We’re setting up this shop",
  preparingHint: "It will be ready in a moment. This page refreshes automatically.",
  suspended: "This shop is temporarily closed",
  suspendedHint: "Are you the owner? Sign in to reopen it.",
  unavailable: "This shop is temporarily unavailable",
  unavailableHint: "We’re working on it. Please try again in a few minutes.",
  unknownHost: "There’s no shop at this address",
  unknownHostHint: (host) => `${host} isn’t connected to a shop. Check the URL and try again.`,
}
