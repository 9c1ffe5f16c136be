// The request and response schemas of staff and invitations.
import * as z from "zod"
import { acceptanceForm } from "../../core/auth/fields"
import { email, withLookups } from "../../core/http/validation"
import type { staffInvitations } from "../../db/schema/sites/staff-invitations"
import type { users } from "../../db/schema/sites/users"
import { fullName } from "../../lib/full-name"
import { formatTimestamp } from "../../lib/time"
import { STAFF_ROLES, staffRole } from "./rules"

export const InviteStaff = withLookups(z.object({ email: email(60), role: z.enum(STAFF_ROLES) }), "email")

/** The form of the page that accepts an invitation. */
export const AcceptInvitation = acceptanceForm()

export const ChangeRole = z.object({ role: z.enum(STAFF_ROLES) })

export const StaffMember = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    role: z.enum(STAFF_ROLES),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "StaffMember" })

export const StaffInvitation = z
  .object({
    id: z.int(),
    email: z.string(),
    role: z.enum(STAFF_ROLES),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "StaffInvitation" })

export type Member = Pick<
  typeof users.$inferSelect,
  "id" | "firstName" | "lastName" | "email" | "isStaff" | "role" | "createdAt"
>

/** Builds the resource of a member of the staff. */
export const memberResource = (member: Member): z.input<typeof StaffMember> => ({
  id: member.id,
  name: fullName(member),
  email: member.email,
  role: staffRole(member) ?? "viewer",
  created_at: formatTimestamp(member.createdAt),
})

export type Invitation = Pick<typeof staffInvitations.$inferSelect, "id" | "email" | "role" | "createdAt" | "expiresAt">

/** Builds the resource of an invitation; its token is in the mail only. */
export const invitationResource = (invitation: Invitation): z.input<typeof StaffInvitation> => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  created_at: formatTimestamp(invitation.createdAt),
  expires_at: formatTimestamp(invitation.expiresAt),
})
