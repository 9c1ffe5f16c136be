// Builds request bodies whose last byte is delayed.

/**
 * Builds a request body that sends all but its last byte at once.
 * @returns the body, and `finish`, which sends the last byte
 */
export function slowBody(text: string) {
  let finish = () => {}
  const rest = new Promise<void>((resolve) => {
    finish = resolve
  })
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream({
    type: "bytes",
    async start(controller) {
      controller.enqueue(bytes.slice(0, -1))
      await rest
      controller.enqueue(bytes.slice(-1))
      controller.close()
    },
  })
  return { body, finish }
}
