// Strings of sign-up, the store finder and error pages.
import { createPageTranslator } from "../kit/page-strings"
import { COMMON_STRINGS } from "../kit/strings"

export const STRINGS = {
  sign_up: "Sign up",
  signup_title: "Create your store",
  signup_body: "It takes a minute. We'll email you a link to choose a password and open your store.",
  signup_body_unverified: "It takes a minute, and your store opens right away.",
  store_name: "Store name",
  address: "Store address",
  address_hint: "Letters, numbers and hyphens.",
  address_available: "That address is available.",
  address_taken: "That address is taken.",
  password_hint: "At least 8 characters.",
  password_entered: "We kept the password you entered. Leave this empty to use it.",
  theme: "Theme",
  theme_later: "Choose later",
  theme_not_in_plan: "The plan :plan does not include the theme :theme. Choose another plan or theme.",
  coupon: "Coupon code",
  check_inbox: "Check your inbox",
  reserved_body:
    "We've reserved :host for you. Open the link we sent to :email to choose a password and open your store.",
  confirm_title: "One last step",
  confirm_body: "Check the details, then choose the password you'll sign in with.",
  confirm_not_requested: "Didn't request this store? Close this page and nothing will be created.",
  confirm: "Open my store",
  preparing_title: "We're setting up your store",
  preparing_body: "This page refreshes automatically.",
  ready_title: "Your store is ready",
  admin: "Run your store",
  view_store: "View your store",
  billing: "Plan and billing",
  failed_title: "Something went wrong",
  failed_body: "We couldn't create your store. Our team has been notified and will try again.",
  link_expired_body: "It has expired, or the address is no longer reserved. Please sign up again.",
  find_store_title: "Find your store",
  find_store_body: "Enter the email address you signed up with. We'll email you links to your stores.",
  send_links: "Send links",
  links_sent_body: "If there are stores for :email, you'll receive an email shortly.",
  status: "Status",
  documentation: "Documentation",
  not_found_body: "The address may be mistyped, or the page was moved.",
  staff_page_elsewhere:
    "Each store has this page at its own address, followed by :path. We can email you links to your stores.",
  store_page_elsewhere: "This page exists only at the address of a store. Go to the store where you shop.",
  not_found: "Page not found",
  home: "Back to home",
}

/** Looks up a string of these pages. */
export const t = createPageTranslator({ platform: STRINGS, kit: COMMON_STRINGS })
