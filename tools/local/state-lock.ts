// One platform at a time on a state directory: two would find each other's databases locked.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { UserError } from "../lib/project.ts"
import { runs } from "./processes.ts"

/**
 * Claims a state directory for this process, until it ends. A claim whose owner is gone counts for nothing.
 * @param directory absolute; made when it is not there
 * @param command words by which the owner's command line is recognised
 * @throws UserError when another running process has it
 */
export function claimState(directory: string, command: string): void {
  const file = join(directory, "owner.pid")
  mkdirSync(directory, { recursive: true })
  const owner = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0
  if (owner && owner !== process.pid && runs(owner, command)) {
    throw new UserError(
      `${directory} is in use by another platform, process ${owner}; stop that one, or name another directory: STATE_DIR=… npm start.`,
    )
  }
  writeFileSync(file, String(process.pid))
  process.once("exit", () => rmSync(file, { force: true }))
}
