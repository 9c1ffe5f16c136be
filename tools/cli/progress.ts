// How far long work is, on one line of the terminal that is written again and again. Elsewhere nothing is shown.
import { cutTo, painter, takesColour, widthOf } from "./terminal.ts"

/** Milliseconds after which work counts as long, and from one drawing to the next. */
const LONG = 1_000
const FRAME = 120

export type Stream = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">

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

/** Columns of the bar itself. */
const BAR = 30

/**
 * A bar for work of a known size.
 * @returns `show` draws how much is done, `end` takes the bar away
 */
export function progressBar(label: string, total: number, stream: Stream = process.stderr) {
  return {
    show(done: number, note = ""): void {
      if (!stream.isTTY) return
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const bar = "█".repeat(Math.round(share * BAR)).padEnd(BAR, "░")
      const line = `${label}  ${bar}  ${done}/${total}  ${Math.floor(share * 100)} %  ${note}`.trimEnd()
      stream.write(CLEAR + cutTo(line, (widthOf(stream) ?? 80) - 1))
    },
    end(): void {
      if (stream.isTTY) stream.write(CLEAR)
    },
  }
}
