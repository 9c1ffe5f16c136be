// Copies a store's files to blobs, and lists them. Files that an earlier list contains are not read again.
import type { ObjectStore } from "../../core/storage/object-store"
import { currentMs } from "../../lib/clock"
import type { Blobs } from "./blobs"
import type { FileEntry, FileListPart } from "./manifest"

/** Files copied in parallel. A Worker has six connections. */
const CONCURRENCY = 4

/** The progress of a list. */
export interface FileProgress {
  parts: FileListPart[]
  /** The last listed key; null before the first. */
  after: string | null
}

interface Source {
  bucket: ObjectStore
  /** The store's prefix in the bucket. */
  prefix: string
}

/**
 * Continues a list of the store's files.
 * @param known an earlier list
 * @param end when to stop, in milliseconds since 1970
 * @returns whether the list is complete
 */
export async function continueFileList(
  { bucket, prefix }: Source,
  blobs: Blobs,
  progress: FileProgress,
  known: readonly FileListPart[],
  end: number,
): Promise<boolean> {
  for (;;) {
    const { objects, truncated } = await bucket.list(prefix, progress.after ?? undefined)
    const [first, last] = [objects[0], objects.at(-1)]
    if (!first || !last) return true
    const earlier = await findEntries(blobs, known, first.key.slice(prefix.length), last.key.slice(prefix.length))
    const entries: FileEntry[] = []
    for (let start = 0; start < objects.length && (start === 0 || currentMs() < end); start += CONCURRENCY) {
      const group = objects.slice(start, start + CONCURRENCY)
      const copied = await Promise.all(group.map((object) => copyFile(bucket, prefix, object, earlier, blobs)))
      entries.push(...copied.filter((entry) => entry !== null))
      progress.after = group.at(-1)?.key ?? progress.after
    }
    await appendPart(progress, blobs, entries)
    if (!truncated && progress.after === last.key) return true
    if (currentMs() >= end) return false
  }
}

async function appendPart(progress: FileProgress, blobs: Blobs, entries: readonly FileEntry[]): Promise<void> {
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) return
  const part = await blobs.putLines(entries.map((entry) => JSON.stringify(entry)))
  const fileBytes = entries.reduce((sum, { size }) => sum + size, 0)
  progress.parts.push({ ...part, firstPath: first.path, lastPath: last.path, fileBytes })
}

async function copyFile(
  bucket: ObjectStore,
  prefix: string,
  object: R2Object,
  earlier: ReadonlyMap<string, FileEntry>,
  blobs: Blobs,
): Promise<FileEntry | null> {
  const path = object.key.slice(prefix.length)
  const known = earlier.get(path)
  if (known?.etag === object.httpEtag) return known
  const type = object.httpMetadata?.contentType ?? "application/octet-stream"
  const sha256 = await blobs.copyFrom(bucket, object.key, object.size, type)
  return sha256 === null ? null : { path, size: object.size, etag: object.httpEtag, type, sha256 }
}

/** Reads the entries of a list from one path to another. */
export async function findEntries(
  blobs: Blobs,
  parts: readonly FileListPart[],
  firstPath: string,
  lastPath: string,
): Promise<Map<string, FileEntry>> {
  const entries = new Map<string, FileEntry>()
  for (const part of parts) {
    if (part.lastPath < firstPath || part.firstPath > lastPath) continue
    for (const entry of await readFileEntries(blobs, part)) entries.set(entry.path, entry)
  }
  return entries
}

/**
 * Reads a part of a list of files.
 * @throws CorruptBackup
 */
export const readFileEntries = async (blobs: Blobs, part: FileListPart): Promise<FileEntry[]> =>
  (await blobs.readLines(part)).map((line) => JSON.parse(line) as FileEntry)
