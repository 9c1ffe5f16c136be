// `events:export` prints events as lines of JSON, page by page.
import type { RunCommand } from "./watch.ts"

interface ExportPage {
  events: string[]
  next: string | null
}

/**
 * Exports all events of a period.
 * @param write receives the lines of each page
 */
export async function exportEvents(
  options: object,
  runCommand: RunCommand,
  write: (lines: string) => void,
): Promise<void> {
  let position: object = {}
  for (;;) {
    const { events, next } = await runCommand<ExportPage>("events:export", { ...options, ...position })
    if (events.length) write(`${events.join("\n")}\n`)
    if (next === null) return
    position = { after: next }
  }
}
