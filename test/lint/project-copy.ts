// Copies the project into a scratch directory, and runs the compiler and other tools on the copy.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../tools/lib/project.ts"
import { getScratchDirectory } from "../../tools/local/scratch.ts"

const COPIED = ["src", "durable", "tools", "docs", "biome.json", "tsconfig.json", "package.json", ".gitignore"]

/** Copies the project without its tests; returns the copy's path. The caller deletes it. */
export function copyProject(): string {
  const copy = mkdtempSync(join(getScratchDirectory(), "lint-"))
  for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** Runs a command of node_modules in a copy. */
export const runTool = (copy: string, command: string, args: string[]) =>
  spawnSync(join(root, "node_modules/.bin", command), args, { cwd: copy, encoding: "utf8", maxBuffer: 1 << 26 })

/** Compiles a copy; returns the errors. */
export function compile(copy: string): { file: string; message: string }[] {
  const errors: { file: string; message: string }[] = []
  for (const line of runTool(copy, "tsc", ["--noEmit", "--pretty", "false"]).stdout.split("\n")) {
    const [, file, message] = /^(\S+?)\(\d+,\d+\): error (.*)$/.exec(line) ?? []
    const last = errors.at(-1)
    if (file && message) errors.push({ file, message })
    // The rest of a message is indented.
    else if (last && line.startsWith(" ")) last.message += `\n${line.trim()}`
  }
  return errors
}
