// The format of an archived object: gzip-compressed lines of JSON. The first line is a header with the SHA-256 of the
// object before it in its shard, so that no object can be changed, removed or reordered unnoticed.
import * as z from "zod"
import type { ArchivedLog, archiveObjects } from "../../db/schema/central/archives"
import { gunzipText, gzipText } from "../../lib/gzip"
import { sha256 } from "../../lib/hash"

/** The version of the format, incremented when readers of the previous one cannot read it. */
const FORMAT_VERSION = 1

export type ArchiveObject = typeof archiveObjects.$inferSelect

const Header = z.object({
  format: z.literal(FORMAT_VERSION),
  log: z.string(),
  shard: z.string(),
  month: z.string(),
  /** The position in the chain of the shard, from 1. */
  number: z.int(),
  /** The SHA-256 of the object before it; null for the first. */
  previous: z.string().nullable(),
  first_id: z.int(),
  last_id: z.int(),
  entries: z.int(),
})

type Header = z.output<typeof Header>

/** An object's contents. */
interface Contents {
  header: Header
  /** The JSON text of each entry, oldest first. */
  lines: string[]
}

/** The key of an object. It contains the digest, so that a repeated run never overwrites an object. */
export const objectKey = ({ log, month, shard, number, sha256 }: ArchiveKey): string =>
  `${log}/${month}/${shard}/${String(number).padStart(8, "0")}-${sha256}.ndjson.gz`

type ArchiveKey = Pick<ArchiveObject, "log" | "month" | "shard" | "number" | "sha256">

/** Returns the shard of a text: the first byte of its SHA-256, in hex. */
export const shardOf = async (text: string): Promise<string> => (await sha256(text)).slice(0, 2)

/** Serializes an object and computes its digest. */
export async function encodeObject(
  header: Omit<Header, "format" | "log"> & { log: ArchivedLog },
  lines: readonly string[],
): Promise<{ bytes: Uint8Array; sha256: string }> {
  const bytes = gzipText([JSON.stringify({ format: FORMAT_VERSION, ...header }), ...lines, ""].join("\n"))
  return { bytes, sha256: await sha256(bytes) }
}

/**
 * Parses an object.
 * @throws Error when it is damaged or has another format
 */
export function decodeObject(bytes: Uint8Array): Contents {
  const [first = "", ...lines] = gunzipText(bytes).trimEnd().split("\n")
  return { header: Header.parse(JSON.parse(first)), lines }
}
