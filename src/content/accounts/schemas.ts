// The request and response schemas of accounts.
import * as z from "zod"
import {
  betweenFields,
  email,
  emptyAsNull,
  MIN_PASSWORD_LENGTH,
  multilineText,
  password,
  shortText,
  text,
  violates,
  withLookups,
} from "../../core/http/validation"
import { fullName } from "../../lib/full-name"
import { fileUrl } from "../files"
import { UserSettings, userSettings } from "../settings/schemas"
import type { SiteCtx } from "../site"
import { STAFF_ROLES, staffRole } from "../staff/rules"
import type { User } from "../user"

const name = text({ min: 2, max: 120 })

const phone = text({ max: 25 })
  .refine((value) => /^\+?[0-9().\-\s]{4,}$/.test(value), violates("format"))
  .meta({ pattern: "^\\+?[0-9().-][0-9(). -]{2,}[0-9().-]$" })

/** A new email address. No valid one has fewer than six characters. */
const newEmail = email(60)

/** An existing email address. An owner's, created with the store, may exceed the limit of new ones. */
const existingEmail = email(190)

const isConfirmed = (input: { password: string; password_confirmation?: string | null }): boolean =>
  input.password === input.password_confirmation

/** OpenAPI: one of these sets of fields is required and must not be empty. */
const requireOneOf = (...sets: string[][]) => ({
  anyOf: sets.map((names) => ({
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { type: "string", minLength: 1 }])),
  })),
})

/** OpenAPI: the confirmation must equal the password, so it is required. */
const needsConfirmation = { required: ["password_confirmation"] }

const mismatch = { path: ["password"], ...violates("confirmed"), ...betweenFields }

/** A person's name, in full or as first and last name. */
const names = { name: emptyAsNull(name), first_name: emptyAsNull(name), last_name: emptyAsNull(name) }

/** Splits a name into first and last name. A full name is split at its first space. */
export function splitName(input: {
  name?: string | null
  first_name?: string | null
  last_name?: string | null
}): { firstName: string; lastName: string } | null {
  if (input.first_name && input.last_name) return { firstName: input.first_name, lastName: input.last_name }
  if (!input.name) return null
  const [firstName = "", ...rest] = input.name.split(/\s+/)
  return { firstName, lastName: rest.join(" ") }
}

const registration = z
  .object({
    ...names,
    email: newEmail,
    password: password(MIN_PASSWORD_LENGTH),
    password_confirmation: shortText(1024).nullish(),
    phone: emptyAsNull(phone),
  })
  .refine(isConfirmed, mismatch)
  .refine((input) => input.name || input.first_name, {
    path: ["first_name"],
    ...violates("required"),
    ...betweenFields,
  })
  .refine((input) => input.name || input.last_name, { path: ["last_name"], ...violates("required"), ...betweenFields })
  .meta({ ...needsConfirmation, ...requireOneOf(["name"], ["first_name", "last_name"]) })

export const Register = withLookups(registration, "email")

export const LogIn = z.object({
  email: existingEmail,
  password: shortText(1024).min(1),
  /** A code of an authenticator app, or a recovery code, of staff with two-factor authentication. */
  code: shortText(64).nullish(),
})

export const EmailOnly = z.object({ email: existingEmail })

export const ResetPassword = z
  .object({
    email: existingEmail,
    token: shortText(255).min(1),
    password: password(MIN_PASSWORD_LENGTH),
    password_confirmation: shortText(1024).nullish(),
  })
  .refine(isConfirmed, mismatch)
  .meta(needsConfirmation)

export const UpdatePassword = z
  .object({
    old_password: shortText(1024).nullish(),
    current_password: shortText(1024).nullish(),
    password: password(MIN_PASSWORD_LENGTH, 60),
    password_confirmation: shortText(1024).nullish(),
  })
  .refine((input) => input.password_confirmation == null || isConfirmed(input), mismatch)
  .refine((input) => !!(input.old_password || input.current_password), {
    path: ["old_password"],
    ...violates("required"),
    ...betweenFields,
  })
  .meta(requireOneOf(["old_password"], ["current_password"]))

const profile = z.object({
  // First and full name cannot be cleared. An empty last name leaves the stored one unchanged.
  name: name.nullish(),
  first_name: name.nullish(),
  last_name: names.last_name,
  email: newEmail.optional(),
  /** Required when the email address changes. */
  current_password: shortText(1024).nullish(),
  phone: emptyAsNull(phone),
  dob: emptyAsNull(z.iso.date()),
  gender: emptyAsNull(z.enum(["male", "female", "other"])),
  description: emptyAsNull(multilineText({ max: 1000 })),
})

export const UpdateMe = withLookups(profile, "email", "dob", "current_password")

export const DeleteMe = z.object({ current_password: shortText(1024).min(1) })

/** Null for customers. */
const Role = z.enum(STAFF_ROLES).nullable()

/** The response of a login. */
export const Session = z.object({
  token: z.string(),
  user: z.object({ id: z.int(), name: z.string(), email: z.string(), role: Role }),
})

export const Me = z
  .object({
    id: z.int(),
    first_name: z.string(),
    last_name: z.string(),
    name: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    avatar: z.string().nullable(),
    dob: z.string().nullable(),
    gender: z.enum(["male", "female", "other"]).nullable(),
    description: z.string().nullable(),
    role: Role,
    settings: UserSettings,
  })
  .meta({ id: "Me" })

/** Returns the URL of a user's avatar. */
export const avatarUrl = (ctx: SiteCtx, user: Pick<User, "avatar">): string | null =>
  user.avatar && fileUrl(ctx, user.avatar)

/**
 * Builds the profile resource.
 * @param settings the user's settings row, if there is one
 */
export const meResource = (
  ctx: SiteCtx,
  user: User,
  settings: Parameters<typeof userSettings>[0],
): z.input<typeof Me> => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  name: fullName(user),
  email: user.email,
  phone: user.phone,
  avatar: avatarUrl(ctx, user),
  dob: user.dob,
  gender: user.gender,
  description: user.description,
  role: staffRole(user),
  settings: userSettings(settings),
})
