// `backfill:run` repeats its requests until all rows are checked, and shows the progress.
import { createProgressBar, type Stream } from "./progress.ts"
import type { RunCommand } from "./watch.ts"

interface BackfillProgress {
  name: string
  position: number
  checked: number
  changed: number
  last: number
  done: boolean
}

/**
 * Runs a backfill to its end. Interrupted, it continues the next time.
 * @returns the final progress
 */
export async function runBackfill(
  options: object,
  runCommand: RunCommand,
  stream?: Stream,
): Promise<Pick<BackfillProgress, "name" | "checked" | "changed">> {
  for (;;) {
    const { name, position, checked, changed, last, done } = await runCommand<BackfillProgress>("backfill:run", options)
    const bar = createProgressBar(name, last, stream)
    bar.show(Math.min(position, last), `${changed} changed`)
    if (!done) continue
    bar.end()
    return { name, checked, changed }
  }
}
