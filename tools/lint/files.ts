// Lists the project's source files, as Git knows them.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { root } from "../lib/project.ts"

/**
 * Lists TypeScript files, committed and new.
 * @param folder limits them to a folder of the project
 */
export function listFiles(folder = ""): string[] {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--", `${folder}*.ts`, `${folder}*.tsx`]
  const { stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  // Git lists a deleted file until the deletion is committed.
  return stdout.split("\n").filter((path) => path && existsSync(join(root, path)))
}
