// Lists, creates, updates and removes operators. At least one admin always remains, and operators cannot lock
// themselves out.
import { and, asc, eq, isNull, ne, sql } from "drizzle-orm"
import type * as z from "zod"
import { findPasswordRule } from "../../core/auth/common-passwords"
import { hashForAdmin } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import type { Precondition } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { commit, retryOnConflict, WriteConflict } from "../../core/write/commit"
import {
  operatorNetworks,
  operatorPasskeys,
  operatorRecoveryCodes,
  operatorSessions,
  operators,
} from "../../db/schema/central/operators"
import { insert, remove, update, type Write } from "../../db/write"
import { endSupportAccesses, revokeSupportAccesses } from "../support/service"
import { isActiveAdmin } from "./queries"
import type { CreateOperator, Operator, UpdateOperator } from "./schemas"
import { removeViewsOf } from "./views"

/** Lists all operators, oldest first. */
export const listOperators = (ctx: Ctx): Promise<Operator[]> =>
  ctx.db.select().from(operators).orderBy(asc(operators.id))

/** @throws Refusal `not_found` */
export async function readOperator(ctx: Ctx, id: number): Promise<Operator> {
  const [operator] = await ctx.db.select().from(operators).where(eq(operators.id, id))
  if (!operator) throw new Refusal("not_found")
  return operator
}

/**
 * Creates an operator.
 * @throws Refusal `validation_failed` for an email address that is taken
 */
export async function createOperator(ctx: Ctx, input: Input<typeof CreateOperator>): Promise<Operator> {
  const checked = input.with({ password: await findPasswordRule(ctx.env, input.valid.password) })
  const { name, role, password, ...fields } = await checked.completeBeforeCommit(async ({ email = "" }) => ({
    email: (await selectByEmail(ctx, email.toLowerCase())).length ? "duplicate" : null,
  }))
  const email = fields.email.toLowerCase()
  const values = { email, name, role, passwordHash: await hashForAdmin(password), createdAt: ctx.now }
  const [[operator]] = await commit(ctx, {
    guard: insert(operators).values(values).onConflictDoNothing(),
    writes: [selectByEmail(ctx, email)],
    auditLog: [
      { audit: { subject: "operator", action: "created", id: selectOperatorId(email), after: { email, name, role } } },
    ],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("email", "duplicate") : cause
  })
  if (!operator) throw new Error("The operator was not stored")
  return operator
}

const selectByEmail = (ctx: Ctx, email: string) => ctx.db.select().from(operators).where(eq(operators.email, email))

/** Selects the id of the operator that the same batch inserts. */
const selectOperatorId = (email: string) =>
  sql`(select ${operators.id} from ${operators} where ${operators.email} = ${email})`

/** Matches when another active admin remains. */
const anotherAdminExists = (id: number) =>
  sql`exists (select 1 from ${operators} where ${and(ne(operators.id, id), isActiveAdmin)})`

/**
 * Changes an operator's name or role, or disables or re-enables the operator. Disabling and role changes end all
 * sessions in the console and at stores, so an old cookie never gains new permissions.
 * @param precondition compares its `operatorTag`
 * @throws Refusal `not_found`, `precondition_failed`; `own_account` for one's own role or access; `last_admin`
 */
export const updateOperator = (
  ctx: Ctx,
  id: number,
  input: z.output<typeof UpdateOperator>,
  precondition?: Precondition,
): Promise<Operator> =>
  retryOnConflict(async () => {
    const before = await readOperator(ctx, id)
    precondition?.(operatorTag(before))
    const disabledAt =
      input.disabled === undefined ? before.disabledAt : input.disabled ? (before.disabledAt ?? ctx.now) : null
    const after = { ...before, name: input.name ?? before.name, role: input.role ?? before.role, disabledAt }
    const losesAdmin = isFullAdmin(before) && !isFullAdmin(after)
    if (losesAdmin) assertNotSelf(ctx, id)
    if (operatorTag(before) === operatorTag(after)) return before
    if (losesAdmin) await assertAnotherAdmin(ctx, id)
    const endsSessions = disabledAt !== null || after.role !== before.role
    await commitGuarded(ctx, {
      guard: update(operators)
        .set({ name: after.name, role: after.role, disabledAt })
        .where(and(isUnchanged(before), losesAdmin ? anotherAdminExists(id) : undefined)),
      action: "changed",
      id,
      before: auditValues(before),
      after: auditValues(after),
      endsSessions,
    })
    return after
  })

/**
 * Removes an operator with all sessions, passkeys, codes and networks. The operator's audit entries stay, under their
 * name.
 * @throws Refusal `not_found`, `own_account`, `last_admin`
 */
export const removeOperator = (ctx: Ctx, id: number): Promise<void> =>
  retryOnConflict(async () => {
    const before = await readOperator(ctx, id)
    assertNotSelf(ctx, id)
    if (isFullAdmin(before)) await assertAnotherAdmin(ctx, id)
    await commitGuarded(ctx, {
      guard: remove(operators).where(
        and(isUnchanged(before), isFullAdmin(before) ? anotherAdminExists(id) : undefined),
      ),
      action: "deleted",
      id,
      before: auditValues(before),
      after: null,
      endsSessions: true,
      last: [
        remove(operatorPasskeys).where(eq(operatorPasskeys.operatorId, id)),
        remove(operatorRecoveryCodes).where(eq(operatorRecoveryCodes.operatorId, id)),
        remove(operatorNetworks).where(eq(operatorNetworks.operatorId, id)),
        removeViewsOf(id),
      ],
    })
  })

/** Matches an operator whose name, role and access are still those that were read. */
const isUnchanged = ({ id, name, role, disabledAt }: Operator) =>
  and(
    eq(operators.id, id),
    eq(operators.name, name),
    eq(operators.role, role),
    disabledAt ? eq(operators.disabledAt, disabledAt) : isNull(operators.disabledAt),
  )

/** @throws Refusal `last_admin` */
async function assertAnotherAdmin(ctx: Ctx, id: number): Promise<void> {
  const others = await ctx.db
    .select({ id: operators.id })
    .from(operators)
    .where(and(ne(operators.id, id), isActiveAdmin))
    .limit(1)
  if (!others.length) throw new Refusal("last_admin")
}

const isFullAdmin = ({ role, disabledAt }: Operator) => role === "admin" && disabledAt === null

function assertNotSelf(ctx: Ctx, id: number): void {
  if (ctx.actor.type === "admin" && ctx.actor.id === id) throw new Refusal("own_account")
}

const auditValues = ({ email, name, role, disabledAt }: Operator) => ({
  email,
  name,
  role,
  disabled: disabledAt !== null,
})
/** The version of what `updateOperator` changes. */
export const operatorTag = (operator: Operator): string => JSON.stringify(auditValues(operator))

interface GuardedChange {
  guard: Write
  action: "changed" | "deleted"
  id: number
  before: Record<string, unknown>
  after: Record<string, unknown> | null
  /** Whether to end the operator's sessions in the console and at stores. */
  endsSessions: boolean
  last?: Write[]
}

async function commitGuarded(
  ctx: Ctx,
  { guard, action, id, before, after, endsSessions, last = [] }: GuardedChange,
): Promise<void> {
  const [revoked = []] = await commit(ctx, {
    guard,
    writes: endsSessions ? [revokeSupportAccesses(ctx, id)] : [],
    auditLog: [{ audit: { subject: "operator", action, id, before, after } }],
    last: endsSessions ? [remove(operatorSessions).where(eq(operatorSessions.operatorId, id)), ...last] : last,
  })
  await endSupportAccesses(ctx, revoked, "ended")
}
