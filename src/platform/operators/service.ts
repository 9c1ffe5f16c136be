// Operators: listed, made, changed, removed. An admin is always left, and nobody shuts themselves out.
import { and, asc, eq, ne, sql } from "drizzle-orm"
import type * as z from "zod"
import { hashForAdmin } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { commit, WriteConflict } from "../../core/write/commit"
import {
  operatorNetworks,
  operatorPasskeys,
  operatorRecoveryCodes,
  operatorSessions,
  operators,
} from "../../db/schema/central/operators"
import { insert, remove, update, type Write } from "../../db/write"
import { cutSupport, endSupports } from "../support/service"
import { isAdmin } from "./queries"
import type { CreateOperator, Operator, UpdateOperator } from "./schemas"

/** Every operator, the oldest first. */
export const listOperators = (ctx: Ctx): Promise<Operator[]> =>
  ctx.db.select().from(operators).orderBy(asc(operators.id))

/** @throws Refusal `not_found` */
export async function readOperator(ctx: Ctx, id: number): Promise<Operator> {
  const [operator] = await ctx.db.select().from(operators).where(eq(operators.id, id))
  if (!operator) throw new Refusal("not_found")
  return operator
}

/**
 * Makes an operator.
 * @throws Refusal `validation_failed` for an address that an operator has
 */
export async function createOperator(ctx: Ctx, input: z.output<typeof CreateOperator>): Promise<Operator> {
  const email = input.email.toLowerCase()
  const { name, role } = input
  const values = { email, name, role, passwordHash: await hashForAdmin(input.password), createdAt: ctx.now }
  const [[operator]] = await commit(ctx, {
    guard: insert(operators).values(values).onConflictDoNothing(),
    writes: [ctx.db.select().from(operators).where(eq(operators.email, email))],
    trail: [{ audit: { subject: "operator", deed: "created", id: operatorId(email), after: { email, name, role } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? invalid("email", "duplicate") : cause
  })
  if (!operator) throw new Error("The operator was not stored")
  return operator
}

/** The id of the operator that the same batch stores. */
const operatorId = (email: string) =>
  sql`(select ${operators.id} from ${operators} where ${operators.email} = ${email})`

/** That another operator may still do everything, once this one may not. */
const anotherAdmin = (id: number) =>
  sql`exists (select 1 from ${operators} where ${and(ne(operators.id, id), isAdmin)})`

/**
 * Changes an operator's name or role, shuts them out or lets them in again. Who is shut out, or has another role, is signed out with it,
 * of the console and of the stores: a cookie from before does not grow with its owner's powers.
 * @throws Refusal `not_found`; `own_account` for one's own role or access; `last_admin`
 */
export async function updateOperator(ctx: Ctx, id: number, input: z.output<typeof UpdateOperator>): Promise<Operator> {
  const before = await readOperator(ctx, id)
  const disabledAt =
    input.disabled === undefined ? before.disabledAt : input.disabled ? (before.disabledAt ?? ctx.now) : null
  const after = { ...before, name: input.name ?? before.name, role: input.role ?? before.role, disabledAt }
  const losesPower = isPowerful(before) && !isPowerful(after)
  if (losesPower) assertAnother(ctx, id)
  if (describe(before) === describe(after)) return before
  const endsSessions = disabledAt !== null || after.role !== before.role
  await guarded(ctx, {
    guard: update(operators)
      .set({ name: after.name, role: after.role, disabledAt })
      .where(and(eq(operators.id, id), losesPower ? anotherAdmin(id) : undefined)),
    deed: "changed",
    id,
    before: facts(before),
    after: facts(after),
    endsSessions,
  })
  return after
}

/**
 * Removes an operator with their sessions here and at stores, passkeys, codes and networks; what they did stays in the trail under their name.
 * @throws Refusal `not_found`, `own_account`, `last_admin`
 */
export async function removeOperator(ctx: Ctx, id: number): Promise<void> {
  const before = await readOperator(ctx, id)
  assertAnother(ctx, id)
  await guarded(ctx, {
    guard: remove(operators).where(and(eq(operators.id, id), isPowerful(before) ? anotherAdmin(id) : undefined)),
    deed: "deleted",
    id,
    before: facts(before),
    after: null,
    endsSessions: true,
    last: [
      remove(operatorPasskeys).where(eq(operatorPasskeys.operatorId, id)),
      remove(operatorRecoveryCodes).where(eq(operatorRecoveryCodes.operatorId, id)),
      remove(operatorNetworks).where(eq(operatorNetworks.operatorId, id)),
    ],
  })
}

const isPowerful = ({ role, disabledAt }: Operator) => role === "admin" && disabledAt === null

function assertAnother(ctx: Ctx, id: number): void {
  if (ctx.actor.type === "admin" && ctx.actor.id === id) throw new Refusal("own_account")
}

const facts = ({ email, name, role, disabledAt }: Operator) => ({ email, name, role, disabled: disabledAt !== null })
const describe = (operator: Operator) => JSON.stringify(facts(operator))

interface Guarded {
  guard: Write
  deed: "changed" | "deleted"
  id: number
  before: Record<string, unknown>
  after: Record<string, unknown> | null
  /** Whether the operator is signed out, of the console and of the stores. */
  endsSessions: boolean
  last?: Write[]
}

async function guarded(ctx: Ctx, { guard, deed, id, before, after, endsSessions, last = [] }: Guarded): Promise<void> {
  const [cut = []] = await commit(ctx, {
    guard,
    writes: endsSessions ? [cutSupport(ctx, id)] : [],
    trail: [{ audit: { subject: "operator", deed, id, before, after } }],
    last: endsSessions ? [remove(operatorSessions).where(eq(operatorSessions.operatorId, id)), ...last] : last,
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("last_admin") : cause
  })
  await endSupports(ctx, cut, "ended")
}
