// Routes of a store's staff: members, their roles, and invitations.
import * as z from "zod"
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { inviteStaff, listInvitations, withdrawInvitation } from "./invitations"
import { ChangeRole, InviteStaff, invitationResource, memberResource, StaffInvitation, StaffMember } from "./schemas"
import { changeRole, listStaff, removeMember } from "./service"

export const staff = createRouter<ContentEnv>()
  .get(
    "/staff",
    describe({
      id: "staff.list",
      summary: "List staff",
      responses: { status: 200, body: dataEnvelope(z.array(StaffMember)) },
      refuses: ["unauthenticated", "forbidden"],
    }),
    user,
    async (c) => sendData(c, (await listStaff(c.var.userCtx)).map(memberResource)),
  )
  .get(
    "/staff/invitations",
    describe({
      id: "staff.listInvitations",
      summary: "List pending invitations",
      responses: { status: 200, body: dataEnvelope(z.array(StaffInvitation)) },
      refuses: ["unauthenticated", "forbidden"],
    }),
    user,
    async (c) => sendData(c, (await listInvitations(c.var.userCtx)).map(invitationResource)),
  )
  .post(
    "/staff/invitations",
    describe({
      id: "staff.invite",
      summary: "Invite a member of the staff",
      responses: { status: 201, body: dataEnvelope(StaffInvitation) },
      refuses: ["unauthenticated", "forbidden", "limit_reached", "rate_limited", "validation_failed"],
    }),
    user,
    body(InviteStaff),
    async (c) =>
      sendData(c, invitationResource(await inviteStaff(c.var.userCtx, c.req.valid("json"))), { status: 201 }),
  )
  .delete(
    "/staff/invitations/:id",
    describe({
      id: "staff.withdrawInvitation",
      summary: "Withdraw an invitation",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    user,
    async (c) => {
      await withdrawInvitation(c.var.userCtx, c.req.param("id"))
      return sendData(c, null)
    },
  )
  .patch(
    "/staff/:id",
    describe({
      id: "staff.changeRole",
      summary: "Change a role",
      responses: { status: 200, body: dataEnvelope(StaffMember) },
      refuses: ["unauthenticated", "forbidden", "not_found", "last_owner", "validation_failed"],
    }),
    user,
    body(ChangeRole),
    async (c) => sendData(c, memberResource(await changeRole(c.var.userCtx, c.req.param("id"), c.req.valid("json")))),
  )
  .delete(
    "/staff/:id",
    describe({
      id: "staff.remove",
      summary: "Remove a member of the staff",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["unauthenticated", "forbidden", "not_found", "last_owner"],
    }),
    user,
    async (c) => {
      await removeMember(c.var.userCtx, c.req.param("id"))
      return sendData(c, null)
    },
  )
