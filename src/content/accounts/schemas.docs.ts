// Documents the API fields of accounts.
import { documentFields } from "../../core/http/field-docs"
import { DeleteMe, EmailOnly, LogIn, Me, Register, ResetPassword, Session, UpdateMe, UpdatePassword } from "./schemas"

const email = { description: "Email address.", example: "ada@example.com" }
const password = { description: "Password.", example: "correct-horse-battery" }
const confirmation = { description: "The same password again.", example: "correct-horse-battery" }
const phone = { description: "Phone number.", example: "+49 30 901820" }
const firstName = { description: "First name; required with `last_name` if `name` is missing.", example: "Ada" }
const lastName = { description: "Last name; required with `first_name` if `name` is missing.", example: "Lovelace" }

documentFields(Register, {
  name: { description: "Full name; the first word becomes the first name.", omitFromExample: true },
  first_name: firstName,
  last_name: lastName,
  email,
  password,
  password_confirmation: confirmation,
  phone,
})

documentFields(LogIn, {
  email,
  password,
  code: {
    description: "Code of the authenticator app, or a recovery code, of staff with two-factor authentication.",
    example: "492039",
  },
})

documentFields(EmailOnly, { email })

documentFields(ResetPassword, {
  email,
  token: { description: "Token from the mail.", example: "Zk3fW8qLr2Vt9Xb5Nc1Hs7Gd4Jp6Ym0Aa8Ee2Ii5Oo1Uu3K" },
  password,
  password_confirmation: confirmation,
})

documentFields(UpdatePassword, {
  old_password: { description: "Current password.", example: "correct-horse" },
  current_password: { description: "Current password, under its alternative name.", example: "correct-horse" },
  password: { ...password, description: "New password." },
  password_confirmation: confirmation,
})

documentFields(UpdateMe, {
  name: { description: "Full name; the first word becomes the first name.", example: "Ada Lovelace" },
  first_name: { description: "First name.", example: "Ada" },
  last_name: { description: "Last name.", example: "Lovelace" },
  email: { ...email, description: "New email address; requires `current_password`." },
  current_password: { description: "Current password; required to change the address.", example: "correct-horse" },
  phone,
  dob: { description: "Date of birth.", example: "1990-12-10" },
  gender: { description: "Gender.", example: "female" },
  description: { description: "About the user.", omitFromExample: true },
})

documentFields(DeleteMe, { current_password: { description: "Current password.", example: "correct-horse" } })

documentFields(Session, {
  token: { description: "Bearer token.", example: "17|Zk3fW8qLr2Vt9Xb5Nc1Hs7Gd4Jp6Ym0Aa8Ee2Ii5Oo1Uu3K" },
  user: {
    description: "The user who signed in.",
    example: { id: 42, name: "Ada Lovelace", email: "ada@example.com", role: null },
  },
})

documentFields(Me, {
  first_name: { description: "First name.", example: "Ada" },
  last_name: { description: "Last name.", example: "Lovelace" },
  name: { description: "Full name.", example: "Ada Lovelace" },
  email,
  phone,
  avatar: {
    description: "URL of the avatar.",
    example: "https://acme.example/media/avatars/01K4YQZ0M8T3V6N9R2B5C7D1EF.png",
  },
  dob: { description: "Date of birth.", example: "1990-12-10" },
  gender: { description: "Gender.", example: "female" },
  description: { description: "About the user.", example: null },
  role: { description: "Role of a member of the staff; null for customers.", example: null },
  settings: { description: "The user's settings." },
})
