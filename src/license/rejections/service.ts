// Tries of a license that were refused, for whoever is asked why it does not work. Clients are told little, and may try a thousand times
// a minute: what is kept is a row for each reason, noted behind the answer.
import { lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deleteExpired } from "../../core/queue/delete-expired"
import { writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import {
  type LicenseAttempt,
  licenseRefusedTries,
  licenses,
  type RefusedReason,
} from "../../db/schema/central/licenses"
import { insertSelect } from "../../db/write"
import type { Env } from "../../env"
import { DAY, later, MINUTE } from "../../lib/time"
import { type LicenseName, oneLicense, selectLicense } from "../licenses/queries"
import type { LicenseOfProduct } from "../licenses/schemas"
import type { LicenseCtx } from "../types"
import { selectTries } from "./queries"

export type RefusedTry = typeof licenseRefusedTries.$inferSelect

/** How long after the last one the tries of a reason are kept. */
const KEPT = 90 * DAY

/** Licenses and reasons that an isolate remembers at most. */
const REMEMBERED = 10_000

interface Noted {
  at: Date
  /** Tries since then that no row tells of yet. */
  waiting: number
}

const memory = new WeakMap<Env, Map<string, Noted>>()

/**
 * The vendor may know what the client is not told: the log says why, and so does the license's page in the console.
 * @param license null where the code is none of ours, which nothing is kept of
 */
export function noteFault(
  ctx: LicenseCtx,
  attempt: LicenseAttempt,
  fault: RefusedReason | "unknown",
  license: number | null = null,
): void {
  ctx.log.info("license refused", { attempt, fault, license })
  if (license !== null && fault !== "unknown") noteTry(ctx, attempt, license, fault)
}

/**
 * Counts a try: behind the answer, in silence when that fails, and written at most once a minute for each license and reason. Those in
 * between are counted with the next one that is written, where the isolate lives that long.
 */
function noteTry(ctx: LicenseCtx, attempt: LicenseAttempt, license: number, reason: RefusedReason): void {
  const known = notedIn(ctx)
  const name = `${license}:${reason}`
  const last = known.get(name)
  if (last && ctx.now.getTime() - last.at.getTime() < MINUTE) {
    last.waiting += 1
    return
  }
  const noted: Noted = { at: ctx.now, waiting: 0 }
  if (known.size >= REMEMBERED) known.clear()
  known.set(name, noted)
  const tries = 1 + (last?.waiting ?? 0)
  const missed = () => {
    noted.waiting += tries
  }
  ctx.after(write(ctx, { attempt, license, reason, tries }).then((isWritten) => isWritten || missed(), missed))
}

function notedIn({ env }: LicenseCtx): Map<string, Noted> {
  const known = memory.get(env) ?? new Map<string, Noted>()
  memory.set(env, known)
  return known
}

interface Note {
  attempt: LicenseAttempt
  license: number
  reason: RefusedReason
  tries: number
}

/** @returns whether it was written: not when another isolate did so this minute, nor when the license is gone */
async function write(ctx: LicenseCtx, { attempt, license, reason, tries }: Note): Promise<boolean> {
  const { domain, ip } = ctx.client
  const last = { lastAt: ctx.now, attempt, domain, ip: reason === "other_ip" || domain === null ? ip : null }
  const [{ meta }] = await writeUnaudited(ctx, "why a license was refused", [
    insertSelect(
      licenseRefusedTries,
      { licenseId: license, reason, tries, firstAt: ctx.now, ...last },
      sql`from ${licenses} where ${licenses.id} = ${license}`,
    ).onConflictDoUpdate({
      target: [licenseRefusedTries.licenseId, licenseRefusedTries.reason],
      set: { ...last, tries: sql`${licenseRefusedTries.tries} + ${tries}` },
      setWhere: lte(licenseRefusedTries.lastAt, later(ctx.now, -MINUTE)),
    }),
  ])
  return meta.changes > 0
}

/**
 * A license with its refused tries, those of the latest first.
 * @throws Refusal `not_found`
 */
export async function readWithTries(
  ctx: Pick<Ctx, "db">,
  name: LicenseName,
): Promise<LicenseOfProduct & { tries: RefusedTry[] }> {
  const [found, tries] = await batch(ctx.db, [selectLicense(name), selectTries(ctx.db, name)])
  const one = oneLicense(found)
  const own = tries.filter(({ licenseId }) => licenseId === one.license.id)
  return { ...one, tries: own.sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime()) }
}

/** Forgets tries past their time. */
export const forgetTries = (ctx: Pick<Ctx, "db" | "now">): Promise<void> =>
  deleteExpired(
    ctx,
    "refused tries past their time",
    licenseRefusedTries,
    (limit) =>
      sql`select license_id, reason from ${licenseRefusedTries} where ${licenseRefusedTries.lastAt} <= ${later(ctx.now, -KEPT).getTime()} limit ${limit}`,
    sql`(license_id, reason)`,
  )
