// Runs commands that verify page by page to their end.
import { withElapsedTime } from "./progress.ts"
import type { Json } from "./table.ts"
import type { RunCommand } from "./watch.ts"

/** Commands whose result is a page with `problems` and the position of the `next` one. */
export const VERIFY_COMMANDS = ["audit:verify", "events:verify"]

interface VerifiedPage {
  log: string
  objects: number
  entries: number
  problems: Record<string, Json>[]
  next: string | null
}

/**
 * Runs a verification to its end.
 * @returns the totals and all problems
 */
export async function verifyAll(
  name: string,
  options: object,
  runCommand: RunCommand,
): Promise<Omit<VerifiedPage, "next">> {
  const problems: VerifiedPage["problems"] = []
  let position: object = {}
  for (;;) {
    const page = runCommand<VerifiedPage>(name, { ...options, ...position })
    const { next, problems: found, ...totals } = await withElapsedTime(page, name)
    problems.push(...found)
    if (next === null) return { ...totals, problems }
    position = { after: next }
  }
}
