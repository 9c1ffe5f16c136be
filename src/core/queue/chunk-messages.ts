// Splits messages into the batches that Cloudflare Queues accept:
// https://developers.cloudflare.com/queues/platform/limits/

const MAX_MESSAGES_PER_BATCH = 100

/** Of 256,000 bytes; the rest is for metadata. */
const MAX_BYTES_PER_BATCH = 240_000

/** Metadata that Cloudflare adds to a message and counts. */
const METADATA_BYTES = 100

const encoder = new TextEncoder()

/** Splits messages into as few consecutive batches as the limits for number and bytes allow. */
export function chunkMessages<Message>(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const message of messages) {
    const size = encoder.encode(JSON.stringify(message)).length + METADATA_BYTES
    if (bytes + size > MAX_BYTES_PER_BATCH || batches.at(-1)?.length === MAX_MESSAGES_PER_BATCH) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)?.push(message)
    bytes += size
  }
  return batches
}
