// Runs the steps of an export on the queue: first a description of the store, then the rows of each table, then the
// files. A run may die at any point: the next one continues from the stored progress. The store is not locked.
import { and, eq, isNotNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Job } from "../../core/queue/messages"
import { backupStore } from "../../core/storage/backups"
import { mediaStore } from "../../core/storage/media"
import { commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { batch, siteDatabase } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { type StoreExport, storeExports } from "../../db/schema/central/exports"
import { siteSettings } from "../../db/schema/central/sites"
import { stores } from "../../db/schema/central/stores"
import { abortWhere, update } from "../../db/write"
import { getFallbackHost } from "../../env"
import { addMs } from "../../lib/time"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { type KeyValue, readRowsByKey, readTables, type Table } from "../site-migration/rows"
import { loadStore } from "../stores/queries"
import { storeResource } from "../stores/schemas"
import { Archive, exportPrefix } from "./archive"
import { buildReadme, listExportedTables, toExportedLine } from "./contents"
import { DOWNLOAD_TTL_MS, MAX_EXPORT_MS } from "./service"

/** Rows per query, and for revisions, which contain whole texts. */
const ROWS_PER_READ = 500
const REVISIONS_PER_READ = 20

/** A table's rows are one file up to this many characters: an isolate has 128 MB. */
const MAX_FILE_LENGTH = 2_000_000

/** The contents of the archive. */
interface Progress {
  /** The site database; a store that is migrated in the meantime is exported from the start. */
  database: string
  /** The next table, the last row's key, and the number of the table's files. */
  tableIndex: number
  after: KeyValue[] | null
  tableFiles: number
  /** The last file's key in the bucket of media. */
  lastFile: string | null
  isComplete: boolean
  rows: number
  files: number
}

const selectRunning = (ctx: Ctx, storeId: string) =>
  ctx.db
    .select()
    .from(storeExports)
    .where(and(eq(storeExports.storeId, storeId), isNotNull(storeExports.dueAt)))

const isRunning = ({ id }: StoreExport) => and(eq(storeExports.id, id), isNotNull(storeExports.dueAt))

/**
 * Runs one step of a store's export. Idempotent.
 * @returns the next step; null when the archive is complete, or the export has failed
 */
export async function runExport(ctx: Ctx, storeId: string): Promise<Job | null> {
  const [[row], [store]] = await batch(ctx.db, [
    selectRunning(ctx, storeId),
    ctx.db.select({ seq: stores.seq, database: stores.database }).from(stores).where(eq(stores.id, storeId)),
  ])
  if (!row) return null
  const isLate = ctx.now.getTime() - row.createdAt.getTime() > MAX_EXPORT_MS
  if (isLate || store?.seq !== row.storeSeq || store.database === null) {
    ctx.log.warn("an export failed", { store: storeId, export: row.id })
    await failExport(ctx, row)
    return null
  }
  const bucket = backupStore(ctx.env)
  const opened = await Archive.open<Progress>(bucket, row.id)
  const isMoved = opened.progress !== null && opened.progress.database !== store.database
  const archive = isMoved ? await Archive.start<Progress>(bucket, row.id) : opened
  const progress = archive.progress ?? (await startArchive(ctx, row, archive, store.database))
  const db = siteDatabase(ctx.env, progress.database, storeId)
  const tables = await readTables(db, listExportedTables())
  while (!progress.isComplete) {
    const table = tables[progress.tableIndex]
    if (table) await addRows(ctx, row, archive, progress, table)
    else await addFiles(ctx, row, archive, progress)
    if (!progress.isComplete && ctx.run.isOutOfTime()) break
  }
  await archive.suspend(progress)
  if (!progress.isComplete) return { job: "export", store: storeId }
  await completeExport(ctx, row, progress, await archive.complete())
  return null
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Adds the explanation of the archive, and what the central database stores about the store. */
async function startArchive(
  ctx: Ctx,
  { storeId, createdAt }: StoreExport,
  archive: Archive<Progress>,
  database: string,
): Promise<Progress> {
  const [details, [attached, [settings]]] = await Promise.all([
    loadStore(ctx, storeId),
    batch(ctx.db, [
      ctx.db
        .select({ domain: domains.domain, is_primary: domains.isPrimary, verified_at: domains.verifiedAt })
        .from(domains)
        .where(eq(domains.storeId, storeId)),
      ctx.db
        .select({ language: siteSettings.language, cors_origins: siteSettings.corsOrigins })
        .from(siteSettings)
        .where(eq(siteSettings.siteId, storeId)),
    ]),
  ])
  const described = { store: storeResource(ctx.settings, details), domains: attached, settings: settings ?? null }
  await archive.addBytes("README.txt", encode(buildReadme(details.store, createdAt)), createdAt)
  await archive.addBytes("store.json", encode(`${JSON.stringify(described, null, 2)}\n`), createdAt)
  return {
    database,
    tableIndex: 0,
    after: null,
    tableFiles: 0,
    lastFile: null,
    isComplete: false,
    rows: 0,
    files: 0,
  }
}

/** Adds the next file of a table's rows, if it has any. */
async function addRows(
  ctx: Ctx,
  { storeId, createdAt }: StoreExport,
  archive: Archive<Progress>,
  progress: Progress,
  table: Table,
): Promise<void> {
  const db = siteDatabase(ctx.env, progress.database, storeId)
  const limit = table.name === "revisions" ? REVISIONS_PER_READ : ROWS_PER_READ
  const lines: string[] = []
  let length = 0
  let isLast = false
  while (!isLast && length < MAX_FILE_LENGTH) {
    const rows = await readRowsByKey(db, storeId, table, progress.after, limit)
    for (const { row } of rows) {
      const line = toExportedLine(table.columns, row)
      lines.push(line)
      length += line.length
    }
    progress.after = rows.at(-1)?.key ?? progress.after
    // Rows are limited by their length too, so only an empty read is the end.
    isLast = rows.length === 0 || progress.after?.length === 0
  }
  if (lines.length) {
    progress.tableFiles += 1
    const suffix = progress.tableFiles === 1 ? "" : `-${progress.tableFiles}`
    await archive.addBytes(`data/${table.name}${suffix}.ndjson`, encode(`${lines.join("\n")}\n`), createdAt)
    progress.rows += lines.length
  }
  if (isLast) Object.assign(progress, { tableIndex: progress.tableIndex + 1, after: null, tableFiles: 0 })
}

/** Adds the next files of the media bucket. */
async function addFiles(
  ctx: Ctx,
  { storeId }: StoreExport,
  archive: Archive<Progress>,
  progress: Progress,
): Promise<void> {
  const media = mediaStore(ctx.env)
  const prefix = `${storeId}/`
  const { objects, truncated } = await media.list(prefix, progress.lastFile ?? undefined)
  for (const { key } of objects) {
    const object = await media.get(key)
    if (object) {
      const entry = { path: `files/${key.slice(prefix.length)}`, size: object.size, modifiedAt: object.uploaded }
      await archive.addStream(entry, object.body)
      progress.files += 1
    }
    progress.lastFile = key
    if (ctx.run.isOutOfTime()) break
  }
  progress.isComplete = !truncated && progress.lastFile === (objects.at(-1)?.key ?? progress.lastFile)
}

/** Marks an export as done, and mails the link. */
async function completeExport(ctx: Ctx, row: StoreExport, { rows, files }: Progress, bytes: number): Promise<void> {
  const { store, primary } = await loadStore(ctx, row.storeId)
  const expiresAt = addMs(ctx.now, DOWNLOAD_TTL_MS)
  const host = primary?.domain ?? getFallbackHost(ctx.settings, store.id)
  try {
    await commit(ctx, {
      guard: update(storeExports)
        .set({ phase: "done", dueAt: null, rows, files, bytes, completedAt: ctx.now, expiresAt })
        .where(isRunning(row)),
      writes: [
        abortWhere(
          sql`from (select 1) where not exists (select 1 from ${stores} where ${stores.id} = ${row.storeId} and ${stores.seq} = ${row.storeSeq})`,
        ),
        buildMailWrite(ctx, {
          kind: "export_ready",
          key: `export:${row.id}`,
          to: row.recipient,
          storeId: row.storeId,
          storeSeq: row.storeSeq,
          facts: { store: store.name, archive: row.id, expires: expiresAt.getTime(), host },
        }),
      ],
      auditLog: { auditSkipped: "progress" },
    })
  } catch (cause) {
    // The store was deleted, or another run completed the export.
    if (!(cause instanceof WriteConflict)) throw cause
    return
  }
  enqueueMailRun(ctx)
}

/** Ends an export. Its objects are deleted immediately, and its row stays on the page for a day. */
async function failExport(ctx: Ctx, row: StoreExport): Promise<void> {
  await writeUnaudited(ctx, "progress", [
    update(storeExports)
      .set({ phase: "failed", dueAt: null, completedAt: ctx.now, expiresAt: addMs(ctx.now, DOWNLOAD_TTL_MS) })
      .where(isRunning(row)),
  ])
  while (await backupStore(ctx.env).deletePage(exportPrefix(row.id)));
}
