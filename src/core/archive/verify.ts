// Verifies an archive: reads every object and compares its digest, its position and the digest of the object before it
// with the records. An object that was changed, removed, exchanged or added is named.
import { and, asc, eq, gt, or } from "drizzle-orm"
import { isTransient } from "../../db/errors"
import { type ArchivedLog, archiveObjects, archives } from "../../db/schema/central/archives"
import { sha256 } from "../../lib/hash"
import type { Ctx } from "../context"
import { archiveStore } from "../storage/archive"
import { type ArchiveObject, decodeObject, objectKey } from "./format"

/** The defect of an object. */
interface ArchiveProblem {
  /** The key in the bucket. */
  object: string
  problem: "changed" | "missing" | "reordered"
  detail: string
}

/** Objects per page of a verification. */
const PAGE_SIZE = 100

/** The progress of a verification. */
export interface VerifyPosition {
  shard: string
  number: number
  /** Objects and entries that were verified. */
  objects: number
  entries: number
}

interface VerifiedPage {
  problems: ArchiveProblem[]
  /** Where the next page continues. */
  position: VerifyPosition
  isLast: boolean
}

/**
 * Verifies the next objects of an archive, in the order of their chains.
 * @param from where the previous page ended; null for the first
 */
export async function verifyArchive(ctx: Ctx, log: ArchivedLog, from: VerifyPosition | null): Promise<VerifiedPage> {
  const position = { ...(from ?? { shard: "", number: 0, objects: 0, entries: 0 }) }
  const page = await ctx.db
    .select()
    .from(archiveObjects)
    .where(
      and(
        eq(archiveObjects.log, log),
        or(
          gt(archiveObjects.shard, position.shard),
          and(eq(archiveObjects.shard, position.shard), gt(archiveObjects.number, position.number)),
        ),
      ),
    )
    .orderBy(asc(archiveObjects.shard), asc(archiveObjects.number))
    .limit(PAGE_SIZE)
  const problems: ArchiveProblem[] = []
  let before = await readRecord(ctx, log, position.shard, position.number)
  // lint: each object is read and compared with its predecessor
  for (const object of page) {
    problems.push(...(await verifyObject(ctx, object, before?.shard === object.shard ? before : null)))
    before = object
    position.shard = object.shard
    position.number = object.number
    position.objects += 1
    position.entries += object.entries
    if (ctx.run.isOutOfTime()) return { problems, position, isLast: false }
  }
  if (page.length === PAGE_SIZE) return { problems, position, isLast: false }
  return { problems: [...problems, ...(await compareTotals(ctx, log, position))], position, isLast: true }
}

async function readRecord(ctx: Ctx, log: ArchivedLog, shard: string, number: number): Promise<ArchiveObject | null> {
  const [record] = await ctx.db
    .select()
    .from(archiveObjects)
    .where(and(eq(archiveObjects.log, log), eq(archiveObjects.shard, shard), eq(archiveObjects.number, number)))
  return record ?? null
}

/** @param before the record of the object before it in the chain; null for the first */
async function verifyObject(ctx: Ctx, object: ArchiveObject, before: ArchiveObject | null): Promise<ArchiveProblem[]> {
  const key = objectKey(object)
  const gap = object.number - (before?.number ?? 0) - 1
  const gaps: ArchiveProblem[] = gap
    ? [{ object: key, problem: "missing", detail: `no record of the ${gap} objects before it` }]
    : []
  const report = (problem: ArchiveProblem["problem"], detail: string) => [...gaps, { object: key, problem, detail }]
  const stored = await archiveStore(ctx.env).get(key)
  if (!stored) return report("missing", "the bucket has no such object")
  const bytes = new Uint8Array(await stored.arrayBuffer())
  const digest = await sha256(bytes)
  if (digest !== object.sha256) {
    const owner = await findOwner(ctx, object.log, bytes, digest)
    return owner
      ? report("reordered", `it has the contents of ${objectKey(owner)}`)
      : report("changed", `its SHA-256 is ${digest}`)
  }
  const { header, lines } = decodeObject(bytes)
  const { number, shard, previous, entries } = header
  if (shard !== object.shard || number !== object.number)
    return report("reordered", `it is number ${number} of shard ${shard}`)
  if (previous !== (before?.sha256 ?? null) && !gap)
    return report("reordered", `it follows the object with the SHA-256 ${previous ?? "none"}`)
  if (entries !== lines.length || entries !== object.entries)
    return report("changed", `it has ${lines.length} of ${object.entries} entries`)
  return gaps
}

/** Finds the record of the object that bytes belong to; null when they belong to none. */
async function findOwner(ctx: Ctx, log: ArchivedLog, bytes: Uint8Array, digest: string): Promise<ArchiveObject | null> {
  try {
    const { header } = decodeObject(bytes)
    const owner = await readRecord(ctx, log, header.shard, header.number)
    return owner?.sha256 === digest ? owner : null
  } catch (cause) {
    if (isTransient(cause)) throw cause
    return null
  }
}

/** Compares the verified objects with the totals, so that the last records of a chain cannot be removed unnoticed. */
async function compareTotals(
  ctx: Ctx,
  log: ArchivedLog,
  { objects, entries }: VerifyPosition,
): Promise<ArchiveProblem[]> {
  const [totals] = await ctx.db.select().from(archives).where(eq(archives.log, log))
  // Objects that were added during the verification are counted, but may not have been read.
  if (!totals || (objects >= totals.objects && entries >= totals.entries)) return []
  const detail = `${totals.objects - objects} objects with ${totals.entries - entries} entries have no record`
  return [{ object: `${log}/`, problem: "missing", detail }]
}
