// Makes the files of a store equal to those of a backup.
import type { ObjectStore } from "../../core/storage/object-store"
import { currentMs } from "../../lib/clock"
import { type Blobs, CorruptBackup } from "./blobs"
import { findEntries, readFileEntries } from "./copy-files"
import type { FileEntry, FileListPart } from "./manifest"

/** Files handled in parallel. A Worker has six connections. */
const CONCURRENCY = 4

/** A store's files in the bucket of media. */
export interface MediaFolder {
  bucket: ObjectStore
  /** The store's prefix in the bucket. */
  prefix: string
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += CONCURRENCY)
    results.push(...(await Promise.all(items.slice(start, start + CONCURRENCY).map(work))))
  return results
}

/**
 * Verifies that the files of a part are stored with their bytes.
 * @throws CorruptBackup
 */
export async function verifyFiles(blobs: Blobs, part: FileListPart): Promise<void> {
  await inGroups(await readFileEntries(blobs, part), async (entry) => {
    if (!(await blobs.isIntact(entry))) throw new CorruptBackup(`the file ${entry.path} is missing or corrupt`)
  })
}

/**
 * Lists the files of a part that the store lacks, or that have other bytes.
 * @returns each with whether the store has a file with this path
 */
export async function findMissingFiles(
  { bucket, prefix }: MediaFolder,
  blobs: Blobs,
  part: FileListPart,
): Promise<{ entry: FileEntry; exists: boolean }[]> {
  const checked = await inGroups(await readFileEntries(blobs, part), async (entry) => ({
    entry,
    object: await bucket.head(prefix + entry.path),
  }))
  return checked.flatMap(({ entry, object }) =>
    object && isSameFile(object, entry) ? [] : [{ entry, exists: object !== null }],
  )
}

/** Whether an object has the bytes of a file: the object that was copied, or one that a restore wrote. */
function isSameFile(object: R2Object, { etag, sha256 }: FileEntry): boolean {
  const digest = object.checksums.sha256
  return object.httpEtag === etag || (digest !== undefined && new Uint8Array(digest).toHex() === sha256)
}

/** Copies files from a backup to the store. */
export async function restoreFiles(
  { bucket, prefix }: MediaFolder,
  blobs: Blobs,
  entries: readonly FileEntry[],
): Promise<void> {
  await inGroups(entries, async (entry) => {
    const body = await blobs.openFile(entry)
    await bucket.putVerified(prefix + entry.path, body, entry.sha256, entry.type)
  })
}

/**
 * Visits the store's files that the backup does not contain.
 * @param after the last checked key
 * @param end when to stop, in milliseconds since 1970
 * @returns the last checked key; null when all are checked
 */
export async function visitExtraFiles(
  { bucket, prefix }: MediaFolder,
  blobs: Blobs,
  parts: readonly FileListPart[],
  after: string | null,
  end: number,
  visit: (keys: string[]) => Promise<void>,
): Promise<string | null> {
  for (let last = after; ; ) {
    const { objects, truncated } = await bucket.list(prefix, last ?? undefined)
    const keys = objects.map(({ key }) => key)
    const [first, final] = [keys[0], keys.at(-1)]
    if (first === undefined || final === undefined) return null
    const contained = await findEntries(blobs, parts, first.slice(prefix.length), final.slice(prefix.length))
    const extra = keys.filter((key) => !contained.has(key.slice(prefix.length)))
    if (extra.length) await visit(extra)
    if (!truncated) return null
    last = final
    if (currentMs() >= end) return last
  }
}
