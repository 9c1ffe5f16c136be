// Changing the application's key: everything that the key before it sealed is sealed anew, in steps, each of which stands with its
// place in one commit, so that a run that dies is gone on with. It is over when a whole pass found nothing left to do: a version of
// the Worker that still ran under the old key may have written behind it.
import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { writeUnaudited, commit } from "../../core/write/commit"
import { siteDatabase } from "../../db/client"
import { SEALED, SEALED_IN_SITES, type SealedColumn } from "../../db/encrypted-columns"
import { settings } from "../../db/schema/central/settings"
import { insert, type Write, writeSql } from "../../db/write"
import { type ApplicationKey, reseal } from "../../lib/cipher"
import { sha256 } from "../../lib/hash"

const NAME = "app_key_rotation"

/** Rows that a step reads. */
const STEP = 50

const Progress = z.object({
  /** Names the current key, and says nothing of it. */
  key: z.string(),
  /** The column that is worked on, by its place in the list, and the last row that was. */
  place: z.number(),
  after: z.number(),
  /** Values that were sealed anew: in all, and in this pass. */
  rotated: z.number(),
  inPass: z.number(),
  /** Values of this pass that neither key opens. */
  unreadable: z.record(z.string(), z.number()),
  done: z.boolean(),
})

type Progress = z.output<typeof Progress>

/** How far it is; `unreadable` counts, column by column, what neither key opens. */
export type KeyRotation = Pick<Progress, "done" | "rotated" | "unreadable">

/**
 * Seals anew what the previous key sealed, or goes on with it.
 * @param limit rows that are looked at, at most
 * @param beginning what else belongs to its beginning
 * @returns `done` once a whole pass found nothing more; until then it is to be called again
 */
export async function rotateKey(ctx: Ctx, limit: number, beginning: () => Promise<Write[]>): Promise<KeyRotation> {
  let progress = await begin(ctx, beginning)
  for (let looked = 0; looked < limit && !progress.done; looked += STEP) progress = await step(ctx, progress)
  const { done, rotated, unreadable } = progress
  return { done, rotated, unreadable }
}

/** The rotation to the current key as it stands; one that was over is begun as a check. */
async function begin(ctx: Ctx, beginning: () => Promise<Write[]>): Promise<Progress> {
  const key = (await sha256(ctx.settings.APP_KEY.current.toBase64())).slice(0, 12)
  const [row] = await ctx.db.select({ value: settings.value }).from(settings).where(eq(settings.name, NAME))
  const known = row && Progress.parse(row.value)
  if (known?.key === key && !known.done) return known
  const first = { key, place: 0, after: 0, rotated: 0, inPass: 0, unreadable: {}, done: false }
  const isNew = ctx.settings.APP_KEY.previous !== null && known?.key !== key
  await commit(ctx, {
    writes: [...(isNew ? await beginning() : []), keep(first)],
    trail: isNew ? [{ audit: { subject: "app_key", id: key, deed: "issued" } }] : { auditSkipped: "a check" },
  })
  return first
}

/** A sealed column, and the database that it stands in. */
type Place = SealedColumn & { db: Ctx["db"] }

/** Where sealed values stand: in the central database, and in each of the site databases, one after another. */
const placesOf = (ctx: Ctx): Place[] => [
  ...SEALED.map((column) => ({ ...column, db: ctx.db })),
  ...ctx.settings.SITE_DATABASES.flatMap((name) => {
    const db = siteDatabase(ctx.env, name) as unknown as Ctx["db"]
    return SEALED_IN_SITES.map((column) => ({ ...column, db }))
  }),
]

const keep = (value: Progress): Write =>
  insert(settings).values({ name: NAME, value }).onConflictDoUpdate({ target: settings.name, set: { value } })

async function step(ctx: Ctx, progress: Progress): Promise<Progress> {
  const at = placesOf(ctx)[progress.place]
  if (!at) return endPass(ctx, progress)
  const found = await rowsAfter(at, progress.after)
  const unreadable = { ...progress.unreadable }
  const writes: Write[] = []
  for (const { rowid, stored } of found) {
    if (stored === null) continue
    const next =
      at.form === "json" ? await resealWithin(ctx.settings.APP_KEY, stored) : await reseal(ctx.settings.APP_KEY, stored)
    if (next === null) unreadable[at.name] = (unreadable[at.name] ?? 0) + 1
    // What was changed meanwhile was sealed under the current key.
    else if (next !== stored) {
      writes.push(
        writeSql(
          sql`update ${at.table} set ${sql.identifier(at.column.name)} = ${next} where rowid = ${rowid} and ${at.column} = ${stored}`,
        ),
      )
    }
  }
  const last = found.at(-1)
  const next: Progress = {
    ...progress,
    ...(last && found.length === STEP ? { after: last.rowid } : { place: progress.place + 1, after: 0 }),
    rotated: progress.rotated + writes.length,
    inPass: progress.inPass + writes.length,
    unreadable,
  }
  const reason = "a step of a rotation that is told when it begins and ends"
  if (at.db === ctx.db) await writeUnaudited(ctx, reason, [...writes, keep(next)])
  else {
    // The place follows its step: whoever dies between the two finds the step done, and takes it for that.
    if (writes.length) await writeUnaudited(at, reason, writes)
    await writeUnaudited(ctx, reason, [keep(next)])
  }
  return next
}

const rowsAfter = ({ db, table, column }: Place, after: number) =>
  db
    .select({ rowid: sql<number>`rowid`, stored: sql<string | null>`${column}` })
    .from(table)
    .where(and(sql`rowid > ${after}`, table === settings ? sql`name <> ${NAME}` : undefined))
    .orderBy(sql`rowid`)
    .limit(STEP)

/** The end of a pass is the end of all when it found nothing to do. */
async function endPass(ctx: Ctx, progress: Progress): Promise<Progress> {
  if (progress.inPass > 0) {
    const again = { ...progress, place: 0, after: 0, inPass: 0, unreadable: {} }
    await writeUnaudited(ctx, "another pass begins", [keep(again)])
    return again
  }
  const over = { ...progress, done: true }
  const { key, rotated, unreadable } = over
  await commit(ctx, {
    writes: [keep(over)],
    trail: rotated
      ? [{ audit: { subject: "app_key", id: key, deed: "rotated", after: { rotated, unreadable } } }]
      : { auditSkipped: "a check that changed nothing" },
  })
  return over
}

/** A JSON text with every container within it sealed anew; null where one of them cannot be opened. */
async function resealWithin(key: ApplicationKey, stored: string): Promise<string | null> {
  let isReadable = true
  const walk = async (value: unknown): Promise<unknown> => {
    if (typeof value === "string") {
      const next = await reseal(key, value)
      if (next === null) isReadable = false
      return next ?? value
    }
    if (Array.isArray(value)) return Promise.all(value.map(walk))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      await Promise.all(Object.entries(value).map(async ([name, part]) => [name, await walk(part)])),
    )
  }
  const given: unknown = JSON.parse(stored)
  const walked = await walk(given)
  if (!isReadable) return null
  return JSON.stringify(walked) === JSON.stringify(given) ? stored : JSON.stringify(walked)
}
