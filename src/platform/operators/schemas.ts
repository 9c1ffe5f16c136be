// Schemas of operators for commands and the console. A resource never contains a hash or a secret.
import * as z from "zod"
import { acceptanceForm } from "../../core/auth/fields"
import { betweenFields, email, password, text, violates, withLookups } from "../../core/http/validation"
import { type operatorInvitations, type operators, ROLES } from "../../db/schema/central/operators"
import { formatTimestamp } from "../../lib/time"

export type Operator = typeof operators.$inferSelect

const MIN_PASSWORD_LENGTH = 12

const role = z.enum(ROLES)

/** The roles of operators, most powerful first. */
export const OPERATOR_ROLES = role.options

export const CreateOperator = withLookups(
  z.object({
    email: email(190),
    name: text({ max: 120 }),
    password: password(MIN_PASSWORD_LENGTH),
    role: role
      .default("admin")
      .describe(
        "admin; support for stores, deliveries and licenses; finance for plans and payments; viewer to change nothing",
      ),
  }),
  "email",
  "password",
)

/** A new operator who chooses name and password. */
export const InviteOperator = withLookups(z.object({ email: email(190), role }), "email")

export const AcceptInvitation = acceptanceForm(MIN_PASSWORD_LENGTH)

export const UpdateOperator = z.object({
  name: text({ max: 120 }).optional(),
  role: role.optional(),
  disabled: z.boolean().optional(),
})

export const SignIn = z.object({
  email: z.string().trim().min(1).max(190),
  password: password(1),
  code: z.string().max(64).optional(),
})

export const ChangePassword = withLookups(
  z
    .object({
      current_password: password(1),
      password: password(MIN_PASSWORD_LENGTH),
      password_confirmation: z.string(),
    })
    .refine((form) => form.password === form.password_confirmation, {
      path: ["password_confirmation"],
      ...violates("confirmed"),
      ...betweenFields,
    }),
  "current_password",
  "password",
)

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const Preferences = z.object({
  name: text({ max: 120 }),
  time_zone: z.string().max(64).refine(isTimeZone, violates("selected")),
  theme: z.enum(["system", "light", "dark"]),
  single_keys: z.boolean().default(true),
})

export const operatorResource = (row: Operator) => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  disabled_at: formatTimestamp(row.disabledAt),
  two_factor: row.totpEnabledAt !== null,
  created_at: formatTimestamp(row.createdAt),
})

export type Invitation = typeof operatorInvitations.$inferSelect

export const invitationResource = ({ id, email, role, createdAt, expiresAt }: Invitation) => ({
  id,
  email,
  role,
  created_at: formatTimestamp(createdAt),
  expires_at: formatTimestamp(expiresAt),
})
