// Keeps Cloudflare's custom hostnames as the verified domains are. What is wanted is written in the very commit that verifies or
// removes a domain; the calls come behind it, and the hourly cron makes those that failed, or whose Worker died, again.
import { and, asc, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { customHostnames } from "../../db/schema/central/custom-hostnames"
import { domains } from "../../db/schema/central/domains"
import { insert, remove, update, type Write } from "../../db/write"
import { HOUR, later, MINUTE } from "../../lib/time"
import { CloudflareError, type CustomHostname, type CustomHostnames, customHostnamesOf } from "./cloudflare"

type Row = typeof customHostnames.$inferSelect

/** Longer than the calls of one turn can take. */
const LEASE_MS = MINUTE
/** Somebody may change what is wanted while the calls are made; so often is that followed at once. */
const TURNS = 3
/** One that keeps failing is tried by the next run, then after 1, 3, 7 hours and so on, and at least so often. */
const LONGEST_PAUSE_HOURS = 24

/** For the commit that verifies a domain. */
export const wantHostname = (ctx: Ctx, hostname: string): Write =>
  insert(customHostnames)
    .values({ hostname, wanted: true, nextAt: ctx.now })
    .onConflictDoUpdate({ target: customHostnames.hostname, set: { wanted: true, nextAt: ctx.now, failures: 0 } })

/** For the commit that removes a domain, while its row is there. */
export const dropHostname = (ctx: Ctx, hostname: string): Write => drop(ctx, eq(customHostnames.hostname, hostname))

/** For the commit that removes a store with its domains, while their rows are there. */
export const dropHostnamesOf = (ctx: Ctx, storeId: string): Write =>
  drop(
    ctx,
    inArray(
      customHostnames.hostname,
      sql`(select ${domains.domain} from ${domains} where ${domains.storeId} = ${storeId})`,
    ),
  )

const drop = (ctx: Ctx, which: SQL): Write =>
  update(customHostnames).set({ wanted: false, nextAt: ctx.now, failures: 0 }).where(which)

/** Behind an answer: brings one hostname to what is wanted of it. Does nothing where the platform's zone is not set up. */
export function settleSoon(ctx: Ctx, hostname: string): void {
  const cloudflare = customHostnamesOf(ctx.settings)
  if (cloudflare) ctx.after(settle(ctx, cloudflare, hostname))
}

/** Hostnames that one run settles at most, and how many of them at once: an invocation has six connections. */
const HOSTNAMES_A_RUN = 200
const AT_ONCE = 5

/** Settles what is due: new ones, those that wait for their certificate, and those that failed. */
export async function settleHostnames(ctx: Ctx): Promise<void> {
  const cloudflare = customHostnamesOf(ctx.settings)
  if (!cloudflare) return
  const due = await ctx.db
    .select({ hostname: customHostnames.hostname })
    .from(customHostnames)
    .where(lte(customHostnames.nextAt, ctx.now))
    .orderBy(asc(customHostnames.nextAt))
    .limit(HOSTNAMES_A_RUN)
  for (let start = 0; start < due.length; start += AT_ONCE) {
    const group = due.slice(start, start + AT_ONCE)
    await Promise.all(
      group.map(({ hostname }) =>
        settle(ctx, cloudflare, hostname).catch((cause) => ctx.log.error("a hostname could not be settled", cause)),
      ),
    )
  }
}

async function settle(ctx: Ctx, cloudflare: CustomHostnames, hostname: string): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const row = await claim(ctx, hostname)
    if (!row) return
    const result = await act(ctx, cloudflare, row)
    if (await release(ctx, row, result)) return
  }
}

/** Takes the row for one turn; undefined when it is gone, or somebody else is at work on it. */
async function claim(ctx: Ctx, hostname: string): Promise<Row | undefined> {
  const free = or(isNull(customHostnames.leasedUntil), lte(customHostnames.leasedUntil, ctx.now))
  const [[row]] = await writeUnaudited(ctx, "a lease: two that settle one hostname would undo each other's calls", [
    update(customHostnames)
      .set({ leasedUntil: later(ctx.now, LEASE_MS) })
      .where(and(eq(customHostnames.hostname, hostname), free))
      .returning(),
  ])
  return row
}

/** What a turn came to: the hostname as Cloudflare has it now, null when it has none; or why it failed. */
type Result = { there: CustomHostname | null } | { fault: string }

async function act(ctx: Ctx, cloudflare: CustomHostnames, row: Row): Promise<Result> {
  try {
    if (row.wanted) {
      const known = row.cloudflareId ? await cloudflare.read(row.cloudflareId) : null
      return { there: known ?? (await cloudflare.create(row.hostname)) }
    }
    // Without an id it may still be there: the answer to its creation can have been lost.
    const id = row.cloudflareId ?? (await cloudflare.find(row.hostname))?.id
    if (id) await cloudflare.remove(id)
    return { there: null }
  } catch (cause) {
    ctx.log.error("Cloudflare did not do what a custom hostname needs", cause, { wanted: row.wanted })
    return { fault: cause instanceof CloudflareError ? cause.message : "an answer of another form" }
  }
}

/**
 * Writes down what a turn came to.
 * @returns whether that is still what is wanted
 */
async function release(ctx: Ctx, row: Row, result: Result): Promise<boolean> {
  const { hostname, wanted } = row
  const same = and(eq(customHostnames.hostname, hostname), eq(customHostnames.wanted, wanted))
  const isAbsent = "there" in result && !result.there
  const [[settled]] = await writeUnaudited(ctx, "what Cloudflare said of a hostname", [
    isAbsent && !wanted
      ? remove(customHostnames).where(same).returning()
      : update(customHostnames)
          .set(outcome(ctx, row, result))
          .where(same)
          .returning(),
  ])
  if (settled) return true
  await writeUnaudited(ctx, "what Cloudflare said of a hostname, of which something else is wanted by now", [
    update(customHostnames)
      .set({ leasedUntil: null, ...("there" in result && { cloudflareId: result.there?.id ?? null }) })
      .where(eq(customHostnames.hostname, hostname)),
  ])
  return false
}

function outcome(ctx: Ctx, row: Row, result: Result): Partial<Row> {
  if ("fault" in result) {
    const failures = row.failures + 1
    const pause = Math.min(2 ** row.failures - 1, LONGEST_PAUSE_HOURS) * HOUR
    return { leasedUntil: null, fault: result.fault, failures, nextAt: later(ctx.now, pause) }
  }
  const { id = null, status = null, certificate = null } = result.there ?? {}
  const ready = status === "active" && certificate === "active"
  return {
    leasedUntil: null,
    cloudflareId: id,
    status,
    certificate,
    fault: null,
    failures: 0,
    nextAt: ready ? null : ctx.now,
  }
}

/** Hostnames that are not as they should be, or all, for an operator. */
export const listHostnames = (ctx: Ctx, { open }: { open: boolean }): Promise<Row[]> =>
  ctx.db
    .select()
    .from(customHostnames)
    .where(open ? sql`${customHostnames.nextAt} is not null` : undefined)
    .orderBy(asc(customHostnames.hostname))
    .limit(1000)
