// Locks the state directory, because two platforms on one directory would block each other's databases.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { UserError } from "../lib/project.ts"
import { isRunning } from "./processes.ts"

/**
 * Locks a state directory until this process exits. The lock of a process that no longer runs is ignored.
 * @param directory absolute; created if missing
 * @param command part of the command line that identifies a lock owner
 * @throws UserError when another running process holds the lock
 */
export function lockStateDirectory(directory: string, command: string): void {
  const file = join(directory, "owner.pid")
  mkdirSync(directory, { recursive: true })
  const owner = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0
  if (owner && owner !== process.pid && isRunning(owner, command)) {
    throw new UserError(
      `${directory} is in use by another platform, process ${owner}. Stop it, or use another directory: STATE_DIR=<directory> npm start.`,
    )
  }
  writeFileSync(file, String(process.pid))
  process.once("exit", () => rmSync(file, { force: true }))
}
