// Lists the staff of a site, changes roles and removes members.
import { and, asc, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { retryOnConflict } from "../../core/write/commit"
import { userTokens } from "../../db/schema/sites/tokens"
import { type StaffRole, users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { selectByEmail } from "../accounts/queries"
import { buildFactorRemoval } from "../accounts/second-factor"
import type { SiteCtx } from "../site"
import { authenticate, type UserCtx, writeAsUser } from "../user"
import { hasRole, staffRole } from "./rules"
import type { ChangeRole, Member } from "./schemas"
import { withActor } from "./write"

const { id, firstName, lastName, email, isStaff, role, createdAt } = users
const memberColumns = { id, firstName, lastName, email, isStaff, role, createdAt }

const isOwner = sql`coalesce(${users.role}, 'owner') = 'owner'`

const selectMembers = ({ site }: SiteCtx, condition?: SQL) =>
  site.db
    .select(memberColumns)
    .from(users)
    .where(and(eq(users.siteId, site.id), eq(users.isStaff, true), condition))
    .orderBy(asc(users.id))

/** Whether the account of an address belongs to the staff, is enabled, and has at least a role. */
export async function isActiveStaff(ctx: SiteCtx, email: string, role: StaffRole): Promise<boolean> {
  const [user] = await selectByEmail(ctx, email)
  return user !== undefined && !user.disabledAt && hasRole(user, role)
}

/**
 * Lists the staff, in the order in which they joined.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden` for customers
 */
export async function listStaff(ctx: UserCtx): Promise<Member[]> {
  const { results } = await authenticate(ctx, () => [selectMembers(ctx)], { role: "viewer" })
  return results[0]
}

/**
 * Changes the role of a member. Only owners may.
 * @param segment the member's id
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`; `last_owner` for another role of the
 *   only owner
 */
export const changeRole = (ctx: UserCtx, segment: string, input: z.output<typeof ChangeRole>): Promise<Member> =>
  retryOnConflict(async () => {
    const { user, member, hasOtherOwner } = await loadMember(ctx, segment)
    const from = staffRole(member)
    if (from === input.role) return member
    if (from === "owner" && !hasOtherOwner) throw new Refusal("last_owner")
    const [, , [changed]] = await writeAsUser(
      withActor(ctx, user),
      () => [
        updateMember(ctx, member, { role: input.role }),
        abortUnlessTouched,
        ctx.site.db.select(memberColumns).from(users).where(eq(users.id, member.id)),
      ],
      {
        role: "owner",
        auditLog: [
          { subject: "staff", action: "changed", id: member.id, before: { role: from }, after: { role: input.role } },
        ],
      },
    )
    return changed ?? { ...member, role: input.role }
  })

/**
 * Removes a member from the staff, and ends all of the member's logins and second factors. The account stays, as a
 * customer's.
 * @param segment the member's id
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`; `last_owner` for the only owner
 */
export const removeMember = (ctx: UserCtx, segment: string): Promise<void> =>
  retryOnConflict(async () => {
    const { user, member, hasOtherOwner } = await loadMember(ctx, segment)
    const from = staffRole(member)
    if (from === "owner" && !hasOtherOwner) throw new Refusal("last_owner")
    await writeAsUser(
      withActor(ctx, user),
      () => [
        updateMember(ctx, member, { isStaff: false, role: null }),
        abortUnlessTouched,
        inSite(ctx.site.id).remove(userTokens).where(eq(userTokens.userId, member.id)),
        ...buildFactorRemoval(ctx, member.id),
      ],
      {
        role: "owner",
        auditLog: [{ subject: "staff", action: "removed", id: member.id, before: { role: from } }],
      },
    )
  })

async function loadMember(ctx: UserCtx, segment: string) {
  const memberId = rowId(segment)
  const isOther = sql`${users.id} <> ${memberId}`
  const { user, results } = await authenticate(
    ctx,
    () => [selectMembers(ctx, eq(users.id, memberId)), selectMembers(ctx, and(isOwner, isOther)).limit(1)],
    { role: "owner" },
  )
  const [[member], otherOwners] = results
  if (!member) throw new Refusal("not_found")
  return { user, member, hasOtherOwner: otherOwners.length > 0 }
}

/** Updates a member whose role is still the one that was read, unless no owner would be left. */
function updateMember(ctx: SiteCtx, member: Member, values: { isStaff?: boolean; role: StaffRole | null }) {
  const otherOwner = sql`select 1 from ${users} "other" where "other"."site_id" = ${ctx.site.id}
    and "other"."is_staff" = 1 and coalesce("other"."role", 'owner') = 'owner' and "other"."id" <> ${member.id}`
  const hasSameRole = sql`${users.role} is ${member.role}`
  return inSite(ctx.site.id)
    .update(users)
    .set({ ...values, updatedAt: ctx.now })
    .where(
      and(
        eq(users.id, member.id),
        eq(users.isStaff, true),
        hasSameRole,
        staffRole(member) === "owner" ? sql`exists (${otherOwner})` : undefined,
      ),
    )
}
