// Documents the API fields of staff and invitations.
import { documentFields } from "../../core/http/field-docs"
import { ChangeRole, InviteStaff, StaffInvitation, StaffMember } from "./schemas"

const email = { description: "Email address.", example: "grace@example.com" }
const role = {
  description:
    "`owner` may do everything, `admin` everything except billing, staff, domains and closing the store; `editor` changes content, products, orders, messages and reviews; `viewer` only reads.",
  example: "editor",
}

documentFields(InviteStaff, { email: { ...email, description: "Address that the invitation is sent to." }, role })

documentFields(ChangeRole, { role })

documentFields(StaffMember, { name: { description: "Full name.", example: "Grace Hopper" }, email, role })

documentFields(StaffInvitation, {
  email: { ...email, description: "Address that the invitation was sent to." },
  role,
  expires_at: { description: "When the mailed link expires, 72 hours after the invitation was sent." },
})
