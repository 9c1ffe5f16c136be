// Moving a store to another site database. It is held in both, copied, compared, and switched over in one commit; then the old rows are
// removed. While it is held it is read as ever, and who writes is told to come again. The queue takes the steps, one run at a time; a run
// may die between any two lines, and the cron has the next one go on.
import { and, asc, eq, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { runJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import { writeUnaudited, type Change, change, commit, WriteConflict } from "../../core/write/commit"
import { QUEUE_GRACE } from "../../core/write/events"
import { batch, siteDatabase } from "../../db/client"
import { type MovePhase, storeMoves } from "../../db/schema/central/site-migrations"
import { stores } from "../../db/schema/central/stores"
import { heldSites } from "../../db/schema/sites/site-locks"
import { abortUnlessTouched, insert, remove, update } from "../../db/write"
import { later, MINUTE, SECOND } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import { loadStore } from "../stores/queries"
import { assertProvisioned } from "../stores/rules"
import type { StoreFacts } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { CopyDiffers, copiedTables, copyOn, emptyOut, highestNumber, hold, release, removeEarlierMark } from "./copy"
import { isApart, numberApart } from "./id-ranges"

export type StoreMove = typeof storeMoves.$inferSelect

/** How long a run copies. */
const RUN = 30 * SECOND

/** How long the old rows stay for those who still read them: isolates and replicas that learn of the switch late. */
const OLD_ROWS = 15 * MINUTE

const enqueueMove = (ctx: Ctx, { storeId, storeSeq }: StoreMove): void =>
  ctx.after(ctx.env.JOB_QUEUE.send({ job: "move", store: storeId, seq: storeSeq }))

/**
 * Begins to move a store.
 * @param to the binding of a site database
 * @returns the move; the one that is under way, when it goes to the same database
 * @throws Refusal `not_found`, `not_provisioned`, `illegal_transition` while it is moved elsewhere, `validation_failed` about `to`:
 *   `selected` for no other site database, `taken` where rows of the two may have the same numbers
 */
export async function beginMove(ctx: Ctx, storeId: string, to: string): Promise<StoreMove> {
  const move = await change(
    ctx,
    async () => ({ facts: await loadStore(ctx, storeId), known: await moveOf(ctx, storeId) }),
    async ({ facts, known }) => {
      assertProvisioned(facts.store)
      if (known?.target === to && known.phase === "copying") return { answer: known }
      if (known) throw new Refusal("illegal_transition")
      const source = facts.store.database
      if (!source || source === to || !ctx.settings.SITE_DATABASES.includes(to)) throw invalid("to", "selected")
      if (!(await isApart(ctx, source)) || !(await isApart(ctx, to))) throw invalid("to", "taken")
      const row = begun(ctx, facts.store, source, to)
      return {
        answer: row,
        change: {
          guard: guardedUpdate(facts, {}),
          writes: [insert(storeMoves).values(row)],
          trail: told(row, "created"),
        },
      }
    },
  )
  enqueueMove(ctx, move)
  return move
}

const begun = (ctx: Ctx, { id, seq }: StoreFacts["store"], source: string, target: string): StoreMove => ({
  storeId: id,
  storeSeq: seq,
  move: ulid(ctx.now),
  source,
  target,
  phase: "copying",
  emptied: null,
  dueAt: ctx.now,
  createdAt: ctx.now,
})

/**
 * Ends a move before the store has gone over: it stays where it is, and what was copied is removed.
 * @throws Refusal `not_found` for a store that is not being moved, `illegal_transition` for one that has gone over
 */
export async function cancelMove(ctx: Ctx, storeId: string): Promise<StoreMove> {
  const move = await moveOf(ctx, storeId)
  if (!move) throw new Refusal("not_found")
  try {
    const values = await leave(ctx, move)
    enqueueMove(ctx, move)
    return { ...move, ...values }
  } catch (cause) {
    throw cause instanceof WriteConflict ? new Refusal("illegal_transition") : cause
  }
}

/**
 * Has a store stay where it is.
 * @param why what the trail has beside the two databases
 * @throws LostRace when it has gone over
 */
async function leave(ctx: Ctx, move: StoreMove, why: Record<string, string> = {}) {
  const values = { phase: "settling" as const, emptied: move.target, dueAt: ctx.now }
  await commit(ctx, {
    guard: update(storeMoves).set(values).where(isCopying(move)),
    trail: told(move, "cancelled", why),
  })
  return values
}

const isMove = ({ storeId, move }: StoreMove) => and(eq(storeMoves.storeId, storeId), eq(storeMoves.move, move))

const isCopying = (move: StoreMove) => and(isMove(move), eq(storeMoves.phase, "copying"))

const told = (
  { storeId, move, source, target }: StoreMove,
  deed: "created" | "moved" | "cancelled",
  why: Record<string, string> = {},
): Change["trail"] => [
  { audit: { subject: "site_move", id: move, deed, siteId: storeId, data: { from: source, to: target, ...why } } },
]

async function moveOf(ctx: Ctx, storeId: string): Promise<StoreMove | undefined> {
  const [move] = await ctx.db.select().from(storeMoves).where(eq(storeMoves.storeId, storeId))
  return move
}

/** A move, and which of its tables is being copied. */
export interface MoveProgress extends StoreMove {
  /** Tables that are copied, those of them that were compared, and tables there are. */
  copied: number
  compared: number
  tables: number
}

/** The moves under way, the oldest first. */
export async function listMoves(ctx: Ctx): Promise<MoveProgress[]> {
  const moves = await ctx.db.select().from(storeMoves).orderBy(asc(storeMoves.createdAt)).limit(100)
  return Promise.all(
    moves.map(async (move) => {
      const db = siteDatabase(ctx.env, move.target)
      const [[held]] = await batch(db, [
        db.select({ place: heldSites.place }).from(heldSites).where(eq(heldSites.siteId, move.storeId)),
      ])
      const tables = copiedTables().length
      const place = move.emptied === move.source ? 2 * tables : (held?.place ?? 0)
      return { ...move, copied: Math.min(place, tables), compared: Math.max(place - tables, 0), tables }
    }),
  )
}

/** Moves that wait for their next step, with no message in flight: it was lost, its run died, or the time of the step has come. */
export const overdueMoves = (ctx: Ctx, limit: number): Promise<{ store: string; seq: number }[]> =>
  ctx.db
    .select({ store: storeMoves.storeId, seq: storeMoves.storeSeq })
    .from(storeMoves)
    .where(
      and(
        lte(storeMoves.dueAt, later(ctx.now, -QUEUE_GRACE)),
        isUnlocked(sql`'site:' || ${storeMoves.storeId}`, ctx.now),
      ),
    )
    .orderBy(asc(storeMoves.dueAt))
    .limit(limit)

/**
 * Takes the next step of a store's move, and enqueues the step after it. Can be run again at any point; does nothing while another run is
 * at it.
 * @param message the incarnation that is moved, and the token of the job's lease, as the queue's message has them
 */
export const moveOn = (
  ctx: Ctx,
  storeId: string,
  { seq, lease }: { seq?: number; lease?: string } = {},
): Promise<void> =>
  runJob(ctx, { job: "move", store: storeId, seq, lease }, async () => {
    const move = await moveOf(ctx, storeId)
    if (!move || (seq ?? move.storeSeq) !== move.storeSeq) return null
    // The purge removes what is left of a store that was deleted on its way.
    const goesOn = (await isThere(ctx, move)) && (await STEPS[move.phase](ctx, move))
    return goesOn ? { job: "move", store: storeId, seq } : null
  })

async function isThere(ctx: Ctx, { storeId, storeSeq }: StoreMove): Promise<boolean> {
  const found = await ctx.db
    .select({ seq: stores.seq })
    .from(stores)
    .where(and(eq(stores.id, storeId), eq(stores.seq, storeSeq)))
  return found.length > 0
}

/**
 * Copies as much as a run may, and switches over once all is there. A copy that is not what the source has ends the move, so that the store
 * is written again. There is always a next step.
 */
async function copy(ctx: Ctx, move: StoreMove): Promise<true> {
  const [source, target] = [siteDatabase(ctx.env, move.source), siteDatabase(ctx.env, move.target)]
  await removeEarlierMark(target, move)
  await hold(target, move, ctx.now)
  await hold(source, move, ctx.now)
  await numberApart(ctx, move.target, await highestNumber(source, move.storeId))
  try {
    if (await copyOn(source, target, move, Date.now() + RUN)) await switchOver(ctx, move)
  } catch (cause) {
    if (!(cause instanceof CopyDiffers)) throw cause
    ctx.log.error("a store is not moved", cause, { store: move.storeId, table: cause.table })
    await leave(ctx, move, { differs: cause.table })
  }
  return true
}

/** From here on the store stands in the target. */
const switchOver = (ctx: Ctx, move: StoreMove): Promise<null> =>
  change(
    ctx,
    () => loadStore(ctx, move.storeId),
    (facts) => ({
      answer: null,
      change: {
        guard: guardedUpdate(facts, { database: move.target }, eq(stores.seq, move.storeSeq)),
        writes: [
          update(storeMoves).set({ phase: "settling", emptied: move.source, dueAt: ctx.now }).where(isCopying(move)),
          abortUnlessTouched,
        ],
        trail: told(move, "moved"),
      },
    }),
  )

/** Lets the store be written where it stands. */
async function settle(ctx: Ctx, move: StoreMove): Promise<true> {
  const hasMoved = move.emptied === move.source
  await release(siteDatabase(ctx.env, hasMoved ? move.target : move.source), move)
  await writeUnaudited(ctx, "a step of a move that is in the trail", [
    update(storeMoves)
      .set({ phase: "emptying", dueAt: hasMoved ? later(ctx.now, OLD_ROWS) : ctx.now })
      .where(isMove(move)),
  ])
  return true
}

/**
 * Removes what is left in the other database, once nobody reads it any more.
 * @returns whether there is more to remove
 */
async function empty(ctx: Ctx, move: StoreMove): Promise<boolean> {
  if (!move.emptied || move.dueAt > ctx.now) return false
  if (!(await emptyOut(siteDatabase(ctx.env, move.emptied), move))) return true
  await writeUnaudited(ctx, "a move of which nothing is left to do", [remove(storeMoves).where(isMove(move))])
  return false
}

const STEPS: Record<MovePhase, (ctx: Ctx, move: StoreMove) => Promise<boolean>> = {
  copying: copy,
  settling: settle,
  emptying: empty,
}
