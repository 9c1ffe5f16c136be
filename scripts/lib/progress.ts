// How far long work is, on one line of the terminal that is written again and again. Elsewhere nothing is shown.
import { painter, takesColour } from "./terminal.ts"

/** Milliseconds after which work counts as long, and from one drawing to the next. */
const LONG = 1_000
const FRAME = 120

type Stream = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">

const CLEAR = "\r\u001b[2K"

/**
 * Waits for work; once it is long, the line says how long it has been.
 * @returns what the work answers
 */
export async function whileWaiting<Answer>(
  work: Promise<Answer>,
  label: string,
  stream: Stream = process.stderr,
): Promise<Answer> {
  if (!stream.isTTY) return work
  const started = Date.now()
  let isShown = false
  const timer = setInterval(() => {
    const ms = Date.now() - started
    if (ms < LONG) return
    isShown = true
    stream.write(`${CLEAR}${painter(takesColour(stream))("dim", `${label}  ${Math.floor(ms / 1000)} s`)}`)
  }, FRAME)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (isShown) stream.write(CLEAR)
  }
}
