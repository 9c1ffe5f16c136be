// Reconciles Cloudflare's custom hostnames with the verified domains. The commit that verifies or removes a domain
// records the desired state. The calls follow in the background, and the hourly cron retries those that failed or whose
// Worker died.
import { and, asc, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { runItem } from "../../core/queue/for-each-item"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import { customHostnames } from "../../db/schema/central/custom-hostnames"
import { domains } from "../../db/schema/central/domains"
import { insert, remove, update, type Write } from "../../db/write"
import { currentTime } from "../../lib/clock"
import { identifiableEnd } from "../../lib/random"
import { addMs, HOUR, MINUTE } from "../../lib/time"
import {
  CloudflareError,
  type CustomHostname,
  type CustomHostnamesClient,
  createCustomHostnamesClient,
} from "./cloudflare"

type Row = typeof customHostnames.$inferSelect

/** Longer than the calls of one pass can take. */
const LEASE_MS = MINUTE
/** The desired state may change during the calls; that many passes follow it immediately. */
const MAX_RECONCILE_PASSES = 3
/** Backoff after repeated failures: the next run, then 1, 3, 7 hours and so on, up to this. */
const MAX_BACKOFF_HOURS = 24

/** Requests a custom hostname; belongs in the commit that verifies the domain. */
export const requestHostname = (ctx: Ctx, hostname: string): Write =>
  insert(customHostnames)
    .values({ hostname, desired: true, nextAt: ctx.now })
    .onConflictDoUpdate({ target: customHostnames.hostname, set: { desired: true, nextAt: ctx.now, failures: 0 } })

/** Requests the removal of a custom hostname; belongs in the commit that removes the domain. */
export const requestHostnameRemoval = (ctx: Ctx, hostname: string): Write =>
  setUndesired(ctx, eq(customHostnames.hostname, hostname))

/**
 * Requests the removal of a store's custom hostnames; belongs in the commit that removes the store, before its
 * domains are deleted.
 */
export const setStoreHostnamesUndesired = (ctx: Ctx, storeId: string): Write =>
  setUndesired(
    ctx,
    inArray(
      customHostnames.hostname,
      sql`(select ${domains.domain} from ${domains} where ${domains.storeId} = ${storeId})`,
    ),
  )

const setUndesired = (ctx: Ctx, condition: SQL): Write =>
  update(customHostnames).set({ desired: false, nextAt: ctx.now, failures: 0 }).where(condition)

/** Reconciles one hostname in the background. Does nothing when Cloudflare for SaaS is not configured. */
export function reconcileInBackground(ctx: Ctx, hostname: string): void {
  const cloudflare = createCustomHostnamesClient(ctx.settings)
  if (cloudflare && !ctx.isDryRun) ctx.inBackground(reconcile(ctx, cloudflare, hostname))
}

/** Hostnames per run, and in parallel: an invocation may have six open connections. */
const HOSTNAMES_PER_RUN = 200
const CONCURRENCY = 5

/** Reconciles the hostnames that are due: new ones, those waiting for a certificate, and failed ones. */
export async function reconcileHostnames(ctx: Ctx): Promise<void> {
  const cloudflare = createCustomHostnamesClient(ctx.settings)
  if (!cloudflare) return
  const due = await ctx.db
    .select({ hostname: customHostnames.hostname })
    .from(customHostnames)
    .where(lte(customHostnames.nextAt, ctx.now))
    .orderBy(asc(customHostnames.nextAt))
    .limit(HOSTNAMES_PER_RUN)
  for (let start = 0; start < due.length; start += CONCURRENCY) {
    if (ctx.run.isOutOfTime()) return
    const group = due.slice(start, start + CONCURRENCY)
    await Promise.all(
      // lint: each hostname is registered by separate requests
      group.map(({ hostname }) =>
        runItem(ctx, "custom-hostnames", () => reconcile(ctx, cloudflare, hostname), hostname),
      ),
    )
  }
}

async function reconcile(ctx: Ctx, cloudflare: CustomHostnamesClient, hostname: string): Promise<void> {
  for (let pass = 0; pass < MAX_RECONCILE_PASSES; pass++) {
    const row = await leaseHostname(ctx, hostname)
    if (!row) return
    const result = await applyDesiredState(ctx, cloudflare, row)
    if (await saveResult(ctx, row, result)) return
  }
}

/** Leases the row for one pass; undefined when it is gone or leased by another run. */
async function leaseHostname(ctx: Ctx, hostname: string): Promise<Row | undefined> {
  // The run may be older than the lease is long.
  const now = currentTime()
  const leasedUntil = identifiableEnd(addMs(now, LEASE_MS))
  const isUnleased = or(
    isNull(customHostnames.leasedUntil),
    lte(customHostnames.leasedUntil, now),
    // The lease is from this call, and its response was lost.
    eq(customHostnames.leasedUntil, leasedUntil),
  )
  const [[row]] = await retryTransient(() =>
    writeUnaudited(ctx, "coordination", [
      update(customHostnames)
        .set({ leasedUntil })
        .where(and(eq(customHostnames.hostname, hostname), isUnleased))
        .returning(),
    ]),
  )
  return row
}

/** The result of a pass: the hostname's current state at Cloudflare (null when absent), or the error. */
type Result = { hostname: CustomHostname | null } | { error: string }

async function applyDesiredState(ctx: Ctx, cloudflare: CustomHostnamesClient, row: Row): Promise<Result> {
  try {
    if (row.desired) {
      const known = row.cloudflareId ? await cloudflare.read(row.cloudflareId) : null
      return { hostname: known ?? (await cloudflare.create(row.hostname)) }
    }
    // Without an id it may still exist: the response to its creation may have been lost.
    const id = row.cloudflareId ?? (await cloudflare.find(row.hostname))?.id
    if (id) await cloudflare.remove(id)
    return { hostname: null }
  } catch (cause) {
    ctx.log.error("a Cloudflare custom hostname call failed", cause, { desired: row.desired })
    return { error: cause instanceof CloudflareError ? cause.message : "unexpected response" }
  }
}

/**
 * Stores the result of a pass, unless its lease expired and another run has the hostname.
 * @returns false when the desired state has changed, so that another pass is needed
 */
async function saveResult(ctx: Ctx, row: Row, result: Result): Promise<boolean> {
  const { hostname, desired, leasedUntil } = row
  const isOwn = and(eq(customHostnames.hostname, hostname), eq(customHostnames.leasedUntil, leasedUntil ?? new Date(0)))
  const isUnchanged = and(isOwn, eq(customHostnames.desired, desired))
  const isAbsent = "hostname" in result && !result.hostname
  const [[saved]] = await retryTransient(() =>
    writeUnaudited(ctx, "external_state", [
      isAbsent && !desired
        ? remove(customHostnames).where(isUnchanged).returning()
        : update(customHostnames)
            .set(toColumns(ctx, row, result))
            .where(isUnchanged)
            .returning(),
    ]),
  )
  if (saved) return true
  const [[released]] = await retryTransient(() =>
    writeUnaudited(ctx, "external_state", [
      update(customHostnames)
        .set({ leasedUntil: null, ...("hostname" in result && { cloudflareId: result.hostname?.id ?? null }) })
        .where(isOwn)
        .returning(),
    ]),
  )
  return !released
}

function toColumns(ctx: Ctx, row: Row, result: Result): Partial<Row> {
  if ("error" in result) {
    const failures = row.failures + 1
    const backoff = Math.min(2 ** row.failures - 1, MAX_BACKOFF_HOURS) * HOUR
    return { leasedUntil: null, error: result.error, failures, nextAt: addMs(ctx.now, backoff) }
  }
  const { id = null, status = null, certificate = null } = result.hostname ?? {}
  const isReady = status === "active" && certificate === "active"
  return {
    leasedUntil: null,
    cloudflareId: id,
    status,
    certificate,
    error: null,
    failures: 0,
    nextAt: isReady ? null : ctx.now,
  }
}

/** Lists all hostnames, or only those not in their desired state. */
export const listHostnames = (ctx: Ctx, { onlyPending }: { onlyPending: boolean }): Promise<Row[]> =>
  ctx.db
    .select()
    .from(customHostnames)
    .where(onlyPending ? sql`${customHostnames.nextAt} is not null` : undefined)
    .orderBy(asc(customHostnames.hostname))
    .limit(1000)
