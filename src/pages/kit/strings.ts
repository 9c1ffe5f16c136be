// Strings that several page sets share.
import { createPageTranslator } from "./page-strings"

export const COMMON_STRINGS = {
  skip: "Skip to content",
  sign_in: "Sign in",
  email: "Email",
  password: "Password",
  forgot_password: "Forgot your password?",
  save: "Save",
  check_fields: "Check the highlighted fields.",
  optional: "optional",
  language: "Language",
  language_hint: "Used for our emails, your billing page and your shop.",
  link_expired: "This link no longer works",
  plan: "Plan",
  plans: "Plans",
  trial: ":days-day free trial",
  free: "Free",
  month: "per month",
  year: "per year",
  plus_tax: "plus tax",
  unlimited: "unlimited",
  products_limit: "Products: :count",
  orders_limit: "Orders per month: :count",
  storage_limit: "Storage: :count",
  staff_limit: "Staff accounts: :count",
  custom_domain: "Custom domain",
  api_access: "API access",
  remove_branding: "No platform branding",
}

/** Looks up a string that all page sets share. */
export const t = createPageTranslator({ kit: COMMON_STRINGS })
