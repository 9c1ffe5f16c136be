// Shows progress on one line of the terminal. Prints nothing when the output is not a terminal.
import { createPainter, getTerminalWidth, supportsColor, truncateText } from "./terminal.ts"

/** Delay before the elapsed time appears, and interval between updates. */
const SHOW_AFTER_MS = 1_000
const FRAME_MS = 120

export type Stream = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">

const CLEAR_LINE = "\r\u001b[2K"

/**
 * Shows the elapsed time while a promise is pending.
 * @returns the promise's result
 */
export async function withElapsedTime<Result>(
  work: Promise<Result>,
  label: string,
  stream: Stream = process.stderr,
): Promise<Result> {
  if (!stream.isTTY) return work
  const started = Date.now()
  let isShown = false
  const timer = setInterval(() => {
    const ms = Date.now() - started
    if (ms < SHOW_AFTER_MS) return
    isShown = true
    stream.write(`${CLEAR_LINE}${createPainter(supportsColor(stream))("dim", `${label}  ${Math.floor(ms / 1000)} s`)}`)
  }, FRAME_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (isShown) stream.write(CLEAR_LINE)
  }
}

/** Columns of the bar. */
const BAR_WIDTH = 30

/**
 * Creates a progress bar.
 * @returns `show` draws the bar, `end` clears it
 */
export function createProgressBar(label: string, total: number, stream: Stream = process.stderr) {
  return {
    show(done: number, note = ""): void {
      if (!stream.isTTY) return
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const bar = "█".repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, "░")
      const line = `${label}  ${bar}  ${done}/${total}  ${Math.floor(share * 100)} %  ${note}`.trimEnd()
      stream.write(CLEAR_LINE + truncateText(line, (getTerminalWidth(stream) ?? 80) - 1))
    },
    end(): void {
      if (stream.isTTY) stream.write(CLEAR_LINE)
    },
  }
}
