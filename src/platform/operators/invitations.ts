// Invites operators by mail. The recipient of the link chooses a name and a password.
import { and, asc, eq, gt, lte, sql } from "drizzle-orm"
import { findPasswordRule } from "../../core/auth/common-passwords"
import { countInvitation, INVITATION_TTL } from "../../core/auth/invitations"
import { permitHashing } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { addressLimits } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { commit, WriteConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { operatorInvitations, operators } from "../../db/schema/central/operators"
import { insert, remove, update, type Write } from "../../db/write"
import { addMs } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { verifyLink } from "../../mails/signed-link"
import type { AcceptInvitation, Invitation, InviteOperator } from "./schemas"

/** Accepted invitations per minute and network. */
const ACCEPTANCES_PER_MINUTE = 10

const { id, email, expiresAt } = operatorInvitations

const selectInvitation = (ctx: Ctx, address: string) =>
  ctx.db.select().from(operatorInvitations).where(eq(email, address))

/** Lists the invitations that were neither accepted nor withdrawn and have not expired, oldest first. */
export const listInvitations = (ctx: Ctx): Promise<Invitation[]> =>
  ctx.db.select().from(operatorInvitations).where(gt(expiresAt, ctx.now)).orderBy(asc(id))

/**
 * Invites someone to the console by mail. Another invitation of the same address replaces the first one, whose link
 * then no longer works.
 * @throws Refusal `rate_limited`; `validation_failed` for the address of an operator
 */
export async function inviteOperator(ctx: Ctx, input: Input<typeof InviteOperator>): Promise<Invitation> {
  await count(ctx)
  const fields = await input.complete({ email: (await isOperator(ctx, input.valid.email)) ? "taken" : null })
  const address = fields.email.toLowerCase()
  const values = { role: fields.role, expiresAt: addMs(ctx.now, INVITATION_TTL), createdAt: ctx.now }
  const [, , [invitation]] = await commit(ctx, {
    writes: [
      insert(operatorInvitations)
        .values({ email: address, ...values })
        .onConflictDoUpdate({ target: email, set: values }),
      buildInvitationMail(ctx, { email: address, ...values }),
      selectInvitation(ctx, address),
      remove(operatorInvitations).where(lte(expiresAt, ctx.now)),
    ],
    auditLog: [
      {
        audit: {
          subject: "operator_invitation",
          action: "created",
          id: selectInvitationId(address),
          after: { email: address, role: fields.role },
        },
      },
    ],
  })
  if (!invitation) throw new Error("The invitation was not stored")
  enqueueMailRun(ctx)
  return invitation
}

const count = (ctx: Ctx): Promise<void> =>
  countInvitation(ctx, `operator-invitations:${ctx.actor.type}:${ctx.actor.id ?? ""}`)

async function isOperator(ctx: Ctx, address = ""): Promise<boolean> {
  const found = await ctx.db
    .select({ id: operators.id })
    .from(operators)
    .where(eq(operators.email, address.toLowerCase()))
  return found.length > 0
}

/** Selects the id of an invitation that the same batch inserts. */
const selectInvitationId = (address: string) =>
  sql`(select ${id} from ${operatorInvitations} where ${email} = ${address})`

const buildInvitationMail = (ctx: Ctx, to: Pick<Invitation, "email" | "role" | "expiresAt">): Write =>
  buildMailWrite(
    ctx,
    {
      kind: "operator_invitation",
      key: `operator_invitation:${ctx.requestId}`,
      to: to.email,
      storeId: null,
      locale: "en",
      facts: { role: to.role, expires: to.expiresAt.getTime() },
    },
    { invitation: selectInvitationId(to.email) },
  )

/** @throws Refusal `not_found` for an invitation that was accepted, was withdrawn or has expired */
export async function readInvitation(ctx: Ctx, invitationId: number): Promise<Invitation> {
  const [invitation] = await ctx.db
    .select()
    .from(operatorInvitations)
    .where(and(eq(id, invitationId), gt(expiresAt, ctx.now)))
  if (!invitation) throw new Refusal("not_found")
  return invitation
}

/**
 * Mails an invitation again with a new link that is valid for 72 hours. Earlier links end.
 * @throws Refusal `not_found`, `rate_limited`
 */
export async function resendInvitation(ctx: Ctx, invitationId: number): Promise<Invitation> {
  await count(ctx)
  const invitation = await readInvitation(ctx, invitationId)
  const renewed = { ...invitation, expiresAt: addMs(ctx.now, INVITATION_TTL) }
  await commit(ctx, {
    guard: update(operatorInvitations)
      .set({ expiresAt: renewed.expiresAt })
      .where(and(eq(id, invitationId), eq(email, invitation.email))),
    writes: [buildInvitationMail(ctx, renewed)],
    auditLog: [{ audit: { subject: "operator_invitation", action: "resent", id: invitationId } }],
  }).catch(refuseConflict("not_found"))
  enqueueMailRun(ctx)
  return renewed
}

/**
 * Withdraws an invitation: its link no longer works.
 * @throws Refusal `not_found`
 */
export async function withdrawInvitation(ctx: Ctx, invitationId: number): Promise<void> {
  const { email: address, role } = await readInvitation(ctx, invitationId)
  await commit(ctx, {
    guard: remove(operatorInvitations).where(eq(id, invitationId)),
    auditLog: [
      {
        audit: {
          subject: "operator_invitation",
          action: "withdrawn",
          id: invitationId,
          before: { email: address, role },
        },
      },
    ],
  }).catch(refuseConflict("not_found"))
}

const refuseConflict =
  (code: "not_found" | "invitation_invalid") =>
  (cause: unknown): never => {
    throw cause instanceof WriteConflict ? new Refusal(code) : cause
  }

/**
 * Finds the invitation of a mailed link. Changes nothing, so mail scanners may open the link.
 * @returns null for a link that was forged, used, replaced or withdrawn, or has expired
 */
export async function findInvitation(ctx: Ctx, token: string): Promise<Invitation | null> {
  const [invitationId, expires] = (await verifyLink(ctx.settings, "operator-invitation", token)) ?? []
  if (invitationId === undefined || expires === undefined || expires <= ctx.now.getTime()) return null
  const [invitation] = await ctx.db
    .select()
    .from(operatorInvitations)
    .where(and(eq(id, invitationId), eq(expiresAt, new Date(expires))))
  return invitation ?? null
}

/**
 * Accepts an invitation: creates the operator, once.
 * @throws Refusal `invitation_invalid`, `validation_failed`, `rate_limited`
 */
export async function acceptInvitation(ctx: Ctx, token: string, input: Input<typeof AcceptInvitation>): Promise<void> {
  const invitation = await findInvitation(ctx, token)
  if (!invitation) throw new Refusal("invitation_invalid")
  const { name, password } = input.complete({ password: await findPasswordRule(ctx.env, input.valid.password) })
  const limits = addressLimits("operator-invitation", ctx.address ?? "unknown", ACCEPTANCES_PER_MINUTE)
  const passwordHash = await (await permitHashing(ctx, 1, limits)).hash(password)
  const { email: address, role } = invitation
  await commit(ctx, {
    guard: remove(operatorInvitations).where(
      and(eq(id, invitation.id), eq(expiresAt, invitation.expiresAt), eq(operatorInvitations.role, role)),
    ),
    writes: [insert(operators).values({ email: address, name, role, passwordHash, createdAt: ctx.now })],
    auditLog: [
      {
        audit: {
          subject: "operator",
          action: "created",
          id: sql`(select ${operators.id} from ${operators} where ${operators.email} = ${address})`,
          after: { email: address, name, role, invitation: invitation.id },
        },
      },
    ],
  }).catch(refuseConflict("invitation_invalid"))
}

/** Reads the operators and the pending invitations in one round trip. */
export const readOperatorsAndInvitations = (ctx: Ctx) =>
  batch(ctx.db, [
    ctx.db.select().from(operators).orderBy(asc(operators.id)),
    ctx.db.select().from(operatorInvitations).where(gt(expiresAt, ctx.now)).orderBy(asc(id)),
  ])
