// Invites people to a site's staff. The mailed link proves the address; its recipient chooses a name and a password.
import { and, asc, count, eq, gt, lt, lte, ne, type SQL, sql } from "drizzle-orm"
import { countInvitation } from "../../core/auth/invitations"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import { hashNetwork } from "../../core/http/client-network"
import type { Input } from "../../core/http/input"
import { afterRateLimit } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { retryOnConflict } from "../../core/write/commit"
import { commitSite } from "../../core/write/site-commit"
import { batch } from "../../db/client"
import { staffInvitations } from "../../db/schema/sites/staff-invitations"
import { userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortWhere, type Write } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { createMailedToken, deleteResetTokens, isValidToken, tokenExpiry } from "../accounts/mailed-tokens"
import { resetNetworks } from "../accounts/networks"
import { hasEmail, normalizeEmail, selectByEmail } from "../accounts/queries"
import { splitName } from "../accounts/schemas"
import { buildAccountMailWrite, enqueueAccountMails } from "../mails/outbox"
import { inParallelWithRateLimit } from "../rate-limits"
import type { SiteCtx } from "../site"
import { authenticate, type User, type UserCtx, writeAsUser } from "../user"
import type { Invitation, InviteStaff } from "./schemas"
import { withActor } from "./write"

const { id, email, role, createdAt, expiresAt } = staffInvitations
const invitationColumns = { id, email, role, createdAt, expiresAt }

const isPending = ({ site, now }: SiteCtx) => and(eq(staffInvitations.siteId, site.id), gt(expiresAt, now))

/** The number of staff that the site's plan allows; 0 for no limit. */
const getStaffLimit = ({ site }: SiteCtx): number => site.subscription?.plan?.limits.staff_users ?? 0

const isStaffOf = ({ site }: SiteCtx) => and(eq(users.siteId, site.id), eq(users.isStaff, true))

const selectStaffCount = (ctx: SiteCtx) => ctx.site.db.select({ total: count() }).from(users).where(isStaffOf(ctx))

/** The number of staff as part of a write, which two requests cannot both pass at the limit. */
const staffCount = (ctx: SiteCtx): SQL => sql`(select count(*) from ${users} where ${isStaffOf(ctx)})`

/** Aborts the transaction when an invitation that it contains exceeds the plan's staff. */
const abortAboveLimit = (ctx: SiteCtx, limit: number): Write =>
  abortWhere(sql`from (select 1) where ${limit} > 0 and ${limit} <
    ${staffCount(ctx)} + (select count(*) from ${staffInvitations} where ${isPending(ctx)})`)

/**
 * Lists the invitations that were neither accepted nor withdrawn and have not expired.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`
 */
export async function listInvitations(ctx: UserCtx): Promise<Invitation[]> {
  const { results } = await authenticate(
    ctx,
    () => [ctx.site.db.select(invitationColumns).from(staffInvitations).where(isPending(ctx)).orderBy(asc(id))],
    { role: "owner" },
  )
  return results[0]
}

/**
 * Invites someone to the staff by mail. Another invitation of the same address replaces the first one, whose link then
 * no longer works. Only owners may.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `rate_limited`; `validation_failed` for the
 *   address of a member; `limit_reached` when the plan's staff is used up, pending invitations included
 */
export function inviteStaff(ctx: UserCtx, input: Input<typeof InviteStaff>): Promise<Invitation> {
  return inParallelWithRateLimit(ctx, countInvitation(ctx, `staff-invitations:${ctx.site.id}`), () =>
    retryOnConflict(() => createInvitation(ctx, input)),
  )
}

async function createInvitation(ctx: UserCtx, input: Input<typeof InviteStaff>): Promise<Invitation> {
  const { db, id: siteId } = ctx.site
  const address = input.valid.email ?? ""
  const { user, results } = await authenticate(
    ctx,
    () =>
      [
        db
          .select({ id: users.id })
          .from(users)
          .where(and(hasEmail(ctx, address), eq(users.isStaff, true))),
        selectStaffCount(ctx),
        db
          .select({ total: count() })
          .from(staffInvitations)
          .where(and(isPending(ctx), ne(staffInvitations.emailKey, normalizeEmail(address)))),
      ] as const,
    { role: "owner" },
  )
  const [members, [staff], [pending]] = results
  const fields = input.complete({ email: members.length ? "taken" : null })
  const limit = getStaffLimit(ctx)
  if (limit > 0 && (staff?.total ?? 0) + (pending?.total ?? 0) >= limit) throw new Refusal("limit_reached")
  const token = await createMailedToken(ctx, "invite")
  const values = { email: fields.email, role: fields.role, hash: token.hash, expiresAt: tokenExpiry(ctx, "invite") }
  const draft = { purpose: "invite" as const, to: fields.email, isConfirmed: false, isCounted: false, token }
  const invitationId = sql`(select ${id} from ${staffInvitations}
    where ${staffInvitations.siteId} = ${siteId} and ${staffInvitations.hash} = ${token.hash})`
  const [[created]] = await writeAsUser(
    withActor(ctx, user),
    () => [
      inSite(siteId)
        .insert(staffInvitations)
        .values({ ...values, emailKey: normalizeEmail(fields.email), createdAt: ctx.now })
        .onConflictDoUpdate({
          target: [staffInvitations.siteId, staffInvitations.emailKey],
          set: { ...values, createdAt: ctx.now },
        })
        .returning(invitationColumns),
      abortAboveLimit(ctx, limit),
      buildAccountMailWrite(ctx, draft, sql`where true`),
      inSite(siteId).remove(staffInvitations).where(lte(expiresAt, ctx.now)),
    ],
    {
      role: "owner",
      auditLog: [{ subject: "staff_invitation", action: "created", id: invitationId, after: { role: fields.role } }],
    },
  )
  if (!created) throw new Error("The invitation was not returned")
  enqueueAccountMails(ctx)
  return created
}

/**
 * Withdraws an invitation: its link no longer works. Only owners may.
 * @param segment the invitation's id
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`
 */
export async function withdrawInvitation(ctx: UserCtx, segment: string): Promise<void> {
  const invitationId = rowId(segment)
  const isThis = eq(id, invitationId)
  const { user, results } = await authenticate(
    ctx,
    () => [
      ctx.site.db
        .select(invitationColumns)
        .from(staffInvitations)
        .where(and(isPending(ctx), isThis)),
    ],
    { role: "owner" },
  )
  const [[invitation]] = results
  if (!invitation) throw new Refusal("not_found")
  await writeAsUser(withActor(ctx, user), () => [inSite(ctx.site.id).remove(staffInvitations).where(isThis)], {
    role: "owner",
    auditLog: [
      { subject: "staff_invitation", action: "withdrawn", id: invitationId, before: { role: invitation.role } },
    ],
  })
}

/** Whether an account has the role that was read. */
const isRoleUnchanged = ({ id: userId, siteId, isStaff, role }: User): SQL =>
  sql`exists (select 1 from ${users} where ${users.id} = ${userId} and ${users.siteId} = ${siteId}
    and ${users.isStaff} = ${Number(isStaff)} and ${users.role} is ${role})`

/** The input of an invitation's recipient. */
interface Acceptance {
  email: string
  token: string
  name: string
  password: string
}

/**
 * Accepts an invitation: creates a member of the staff, or makes the customer with the address one, and sets the
 * password. Reading the mail proved the address. Ends the logins and reset tokens of an existing account.
 * @param hashing the permit for one hash
 * @throws Refusal as `hashing` does, `invitation_invalid`; `limit_reached` when the plan's staff is used up
 */
export async function acceptInvitation(
  ctx: SiteCtx,
  input: Acceptance,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const siteId = ctx.site.id
  const isValid = and(
    isValidToken(ctx, staffInvitations, await sha256(input.token)),
    eq(staffInvitations.siteId, siteId),
    eq(staffInvitations.emailKey, normalizeEmail(input.email)),
  )
  const load = () =>
    batch(ctx.site.db, [
      ctx.site.db.select().from(staffInvitations).where(isValid),
      selectByEmail(ctx, input.email),
      selectStaffCount(ctx),
    ])
  await afterRateLimit(hashing, load())
  let passwordHash: string | null = null
  await retryOnConflict(async () => {
    const [[invitation], [account], [staff]] = await load()
    if (!invitation) throw new Refusal("invitation_invalid")
    const limit = getStaffLimit(ctx)
    const needsSeat = limit > 0 && !account?.isStaff
    if (needsSeat && (staff?.total ?? 0) >= limit) throw new Refusal("limit_reached")
    passwordHash ??= await (await hashing).hash(input.password)
    const names = splitName(input) ?? { firstName: input.name, lastName: "" }
    const values = {
      ...names,
      passwordHash,
      isStaff: true,
      // Of a customer who had been disabled: the account would be on the team without being able to sign in.
      disabledAt: null,
      role: account?.isStaff ? account.role : invitation.role,
      updatedAt: ctx.now,
    }
    const verified = { emailVerifiedAt: account?.emailVerifiedAt ?? ctx.now }
    const member = sql`(select ${users.id} from ${users} where ${hasEmail(ctx, input.email)})`
    await commitSite(ctx, ctx.site, {
      guard: inSite(siteId)
        .remove(staffInvitations)
        .where(
          and(
            ...[eq(id, invitation.id), isValid],
            needsSeat ? lt(staffCount(ctx), limit) : undefined,
            account && isRoleUnchanged(account),
          ),
        ),
      writes: account
        ? [
            inSite(siteId)
              .update(users)
              .set({ ...values, ...verified })
              .where(eq(users.id, account.id)),
            inSite(siteId).remove(userTokens).where(eq(userTokens.userId, account.id)),
            deleteResetTokens(siteId, account.id),
            ...resetNetworks(ctx, account.id, await hashNetwork(ctx)),
          ]
        : [
            inSite(siteId)
              .insert(users)
              .values({
                ...values,
                ...verified,
                email: invitation.email,
                emailKey: invitation.emailKey,
                createdAt: ctx.now,
              }),
          ],
      auditLog: [{ subject: "staff", action: "joined", id: member, after: { role: values.role ?? "owner" } }],
    })
  })
}

/**
 * Whether a mailed link still leads to an invitation.
 * @param link the parameters of the link
 */
export async function isInvitationValid(ctx: SiteCtx, link: { email: string; token: string }): Promise<boolean> {
  const rows = await ctx.site.db
    .select({ id })
    .from(staffInvitations)
    .where(
      and(
        isValidToken(ctx, staffInvitations, await sha256(link.token)),
        eq(staffInvitations.siteId, ctx.site.id),
        eq(staffInvitations.emailKey, normalizeEmail(link.email)),
      ),
    )
  return rows.length > 0
}
