// Re-encrypts everything that the previous application key encrypted, after the key was changed. The rotation runs in
// steps that store their progress, so an interrupted run resumes. It is complete when a whole pass found nothing to do:
// a Worker version with the old key may have written in the meantime.
import type { SQL } from "drizzle-orm"
import { and, eq, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { commit, writeUnaudited } from "../../core/write/commit"
import { siteDatabase } from "../../db/client"
import { ENCRYPTED_COLUMNS, ENCRYPTED_SITE_COLUMNS, type EncryptedColumn } from "../../db/encrypted-columns"
import { settings } from "../../db/schema/central/settings"
import type { SiteTable } from "../../db/schema/site-table"
import { type AcrossSites, acrossSites } from "../../db/site-scope"
import { insert, type Write, writeSql } from "../../db/write"
import { type ApplicationKey, reencrypt } from "../../lib/cipher"
import { sha256 } from "../../lib/hash"

const SETTING_NAME = "app_key_rotation"

/** Rows read per step. */
const ROWS_PER_STEP = 50

const Progress = z.object({
  /** Identifies the current key without revealing it. */
  key: z.string(),
  /** The index of the current column, and the last row processed in it: its rowid or key. Every text is above 0. */
  place: z.number(),
  after: z.union([z.number(), z.string()]),
  /** Re-encrypted values: in total, and in this pass. */
  rotated: z.number(),
  inPass: z.number(),
  /** Values of this pass that neither key can decrypt, per column. */
  unreadable: z.record(z.string(), z.number()),
  done: z.boolean(),
})

type Progress = z.output<typeof Progress>

/** The progress of a rotation; `unreadable` counts the values per column that neither key can decrypt. */
export type KeyRotation = Pick<Progress, "done" | "rotated" | "unreadable">

/**
 * Starts or resumes the key rotation.
 * @param limit maximum number of rows to scan
 * @param onStart returns writes to commit with the start of the rotation
 * @returns `done` once a whole pass found nothing to do; call again until then
 */
export async function rotateKey(ctx: Ctx, limit: number, onStart: () => Promise<Write[]>): Promise<KeyRotation> {
  let progress = await startRotation(ctx, onStart)
  for (let scanned = 0; scanned < limit && !progress.done; scanned += ROWS_PER_STEP)
    progress = await runStep(ctx, progress)
  const { done, rotated, unreadable } = progress
  return { done, rotated, unreadable }
}

/** Loads the rotation to the current key, or starts one. After a completed rotation it starts a check. */
async function startRotation(ctx: Ctx, onStart: () => Promise<Write[]>): Promise<Progress> {
  const key = (await sha256(ctx.settings.APP_KEY.current.toBase64())).slice(0, 12)
  const [row] = await ctx.db.select({ value: settings.value }).from(settings).where(eq(settings.name, SETTING_NAME))
  const stored = row && Progress.parse(row.value)
  if (stored?.key === key && !stored.done) return stored
  const first = { key, place: 0, after: 0, rotated: 0, inPass: 0, unreadable: {}, done: false }
  const isNew = ctx.settings.APP_KEY.previous !== null && stored?.key !== key
  await commit(ctx, {
    writes: [...(isNew ? await onStart() : []), saveProgress(first)],
    auditLog: isNew ? [{ audit: { subject: "app_key", id: key, action: "issued" } }] : { auditSkipped: "no_change" },
  })
  return first
}

/** An encrypted column in one database. */
type EncryptedLocation = EncryptedColumn & { db: Ctx["db"]; scope: AcrossSites | null }

/** Lists the encrypted columns of the central database and of each site database. */
const listEncryptedLocations = (ctx: Ctx): EncryptedLocation[] => [
  ...ENCRYPTED_COLUMNS.map((column) => ({ ...column, db: ctx.db, scope: null })),
  ...ctx.settings.SITE_DATABASES.flatMap((name) => {
    const scope = acrossSites("app_key")
    const db = siteDatabase(ctx.env, name, scope)
    return ENCRYPTED_SITE_COLUMNS.map((column) => ({ ...column, db, scope }))
  }),
]

const saveProgress = (value: Progress): Write =>
  insert(settings).values({ name: SETTING_NAME, value }).onConflictDoUpdate({ target: settings.name, set: { value } })

async function runStep(ctx: Ctx, progress: Progress): Promise<Progress> {
  const location = listEncryptedLocations(ctx)[progress.place]
  if (!location) return completePass(ctx, progress)
  const rows = await readRowsAfter(location, progress.after)
  const unreadable = { ...progress.unreadable }
  const writes: Write[] = []
  for (const { position, stored } of rows) {
    if (stored === null) continue
    const next =
      location.form === "json"
        ? await reencryptJson(ctx.settings.APP_KEY, stored)
        : await reencrypt(ctx.settings.APP_KEY, stored)
    if (next === null) unreadable[location.name] = (unreadable[location.name] ?? 0) + 1
    // A value that changed in the meantime is already encrypted with the current key.
    else if (next !== stored) {
      writes.push(
        writeSql(
          sql`update ${location.table} set ${sql.identifier(location.column.name)} = ${next} where ${isAny(location)} and ${positionOf(location)} = ${position} and ${location.column} = ${stored}`,
        ),
      )
    }
  }
  const last = rows.at(-1)
  const next: Progress = {
    ...progress,
    ...(last && rows.length === ROWS_PER_STEP ? { after: last.position } : { place: progress.place + 1, after: 0 }),
    rotated: progress.rotated + writes.length,
    inPass: progress.inPass + writes.length,
    unreadable,
  }
  if (location.db === ctx.db) await writeUnaudited(ctx, "progress", [...writes, saveProgress(next)])
  else {
    // Two databases, so progress is stored after the step: if a run dies in between, the step is repeated, which is
    // idempotent.
    if (writes.length) await writeUnaudited(location, "progress", writes)
    await writeUnaudited(ctx, "progress", [saveProgress(next)])
  }
  return next
}

/** The condition on rows of a site database, which a write in plain SQL has to name itself. */
// lint: a location with a scope is in a table of a site database
const isAny = ({ scope, table }: EncryptedLocation): SQL => scope?.condition(table as SiteTable) ?? sql`true`

const positionOf = ({ key }: EncryptedLocation): SQL => (key ? sql`${key}` : sql`rowid`)

const readRowsAfter = (location: EncryptedLocation, after: Progress["after"]) =>
  location.db
    .select({
      position: sql<number | string>`${positionOf(location)}`.as("position"),
      stored: sql<string | null>`${location.column}`,
    })
    .from(location.table)
    .where(
      and(
        sql`${positionOf(location)} > ${after}`,
        location.table === settings ? sql`name <> ${SETTING_NAME}` : undefined,
      ),
    )
    .orderBy(positionOf(location))
    .limit(ROWS_PER_STEP)

/** Ends a pass. The rotation is complete when the pass found nothing to do. */
async function completePass(ctx: Ctx, progress: Progress): Promise<Progress> {
  if (progress.inPass > 0) {
    const restarted = { ...progress, place: 0, after: 0, inPass: 0, unreadable: {} }
    await writeUnaudited(ctx, "progress", [saveProgress(restarted)])
    return restarted
  }
  const finished = { ...progress, done: true }
  const { key, rotated, unreadable } = finished
  await commit(ctx, {
    writes: [saveProgress(finished)],
    auditLog: rotated
      ? [{ audit: { subject: "app_key", id: key, action: "rotated", after: { rotated, unreadable } } }]
      : { auditSkipped: "no_change" },
  })
  return finished
}

/** Re-encrypts every encrypted string in a JSON text; null when one of them cannot be decrypted. */
async function reencryptJson(key: ApplicationKey, stored: string): Promise<string | null> {
  let isReadable = true
  const walk = async (value: unknown): Promise<unknown> => {
    if (typeof value === "string") {
      const next = await reencrypt(key, value)
      if (next === null) isReadable = false
      return next ?? value
    }
    if (Array.isArray(value)) return Promise.all(value.map(walk))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      await Promise.all(Object.entries(value).map(async ([name, part]) => [name, await walk(part)])),
    )
  }
  const original: unknown = JSON.parse(stored)
  const reencrypted = await walk(original)
  if (!isReadable) return null
  return JSON.stringify(reencrypted) === JSON.stringify(original) ? stored : JSON.stringify(reencrypted)
}
