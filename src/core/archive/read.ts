// Reads recorded objects of an archive. An object is used only if its SHA-256 is the recorded one.
import { sha256 } from "../../lib/hash"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"
import { archiveStore } from "../storage/archive"
import { retryTransient } from "../write/retry"
import { type ArchiveObject, decodeObject, objectKey } from "./format"

/** Objects read in parallel; an invocation has six connections. */
const MAX_CONNECTIONS = 5

/** `Retry-After` in seconds while an object cannot be read. */
const RETRY_SECONDS = 60

/**
 * Reads the entries of objects, and passes them on in the order of the objects. At most five are in memory.
 * @param use receives the JSON texts of an object's entries, oldest first
 * @throws Refusal `temporarily_unavailable` when an object is missing or damaged, or R2 does not respond
 */
export async function readObjects<Stored extends ArchiveObject>(
  ctx: Pick<Ctx, "env" | "log">,
  objects: readonly Stored[],
  use: (lines: string[], object: Stored) => void,
): Promise<void> {
  for (let start = 0; start < objects.length; start += MAX_CONNECTIONS) {
    const chunk = objects.slice(start, start + MAX_CONNECTIONS)
    const contents = await Promise.all(chunk.map((object) => readLines(ctx, object)))
    for (const [index, object] of chunk.entries()) use(contents[index] ?? [], object)
  }
}

async function readLines(ctx: Pick<Ctx, "env" | "log">, object: ArchiveObject): Promise<string[]> {
  const key = objectKey(object)
  try {
    const bytes = await retryTransient(async () => {
      const stored = await archiveStore(ctx.env).get(key)
      if (!stored) throw new Error("The object is missing")
      return new Uint8Array(await stored.arrayBuffer())
    })
    if ((await sha256(bytes)) !== object.sha256) throw new Error("The object was changed")
    return decodeObject(bytes).lines
  } catch (cause) {
    ctx.log.error("reading an archived object failed", cause, { key })
    throw new Refusal("temporarily_unavailable", { retryAfter: RETRY_SECONDS })
  }
}
