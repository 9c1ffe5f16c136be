// Strings of the pages that mailed links lead to.
import { createPageTranslator } from "../kit/page-strings"
import { COMMON_STRINGS } from "../kit/strings"

export const STRINGS = {
  owner_sign_in: "Store owner: sign in",
  to_store: "Go to the store",
  to_home: "Back to home",
  confirmed: "Your email is confirmed",
  confirmed_body: "You can sign in now.",
  orders_found: "Orders you placed with this address without an account are now in your account.",
  to_account: "Go to your account",
  link_expired_body: "It has expired, was already used, or was replaced by a newer one. Please request a new link.",
  forgot_password_body: "Enter your email and we'll send you a link to reset your password.",
  confirm_email: "Confirm your email",
  confirm_email_body: "Enter your email and we'll send you a link to confirm it.",
  send_confirmation: "Send confirmation link",
  join: "Join the staff",
  join_body: "Enter your name and choose a password for your account.",
  name: "Name",
  accept_invitation: "Accept invitation",
  joined: "Welcome to the team",
  joined_body: "Your account is ready. You can sign in with your email and password.",
  invitation_invalid: "This invitation is no longer valid",
  invitation_invalid_body:
    "It has expired, was withdrawn or was already accepted. Ask an owner of the store to invite you again.",
  confirm_contact: "Confirm this address",
  confirm_contact_body: "This shop's emails about orders and messages will go to :email.",
  confirm: "Confirm",
  contact_confirmed: "Address confirmed",
  contact_confirmed_body: "It now receives all of this shop's emails about orders and messages.",
  contact_link_expired_body:
    "It has expired, was already used, or was replaced by a newer one. The staff can send a new link from the shop's settings.",
  send_link: "Send reset link",
  choose_password: "Choose a new password",
  new_password: "New password",
  password_hint: "At least 8 characters.",
  confirm_password: "Confirm new password",
  reset_password: "Reset password",
  password_changed: "Password changed",
  password_changed_body: "You've been signed out everywhere. Sign in with your new password.",
}

/** Looks up a string of these pages. */
export const t = createPageTranslator({ account: STRINGS, kit: COMMON_STRINGS })
