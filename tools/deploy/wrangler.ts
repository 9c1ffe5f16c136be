// Wrangler as a deployment asks it: one command at a time, its answer read, what it says shown only when it matters.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { root } from "../lib/project.ts"

export interface WranglerAnswer {
  ok: boolean
  stdout: string
  /** Both outputs, for a person. */
  words: string
  /** The entries wrangler writes for programs, such as `{type: "version-upload", version_id}`. */
  entries: Record<string, unknown>[]
}

/** Runs one command of wrangler. */
export type Wrangler = (command: string[]) => WranglerAnswer

/** No questions, no colours, no telemetry; the account and its token come with the environment as they are. */
const QUIET = {
  CI: "true",
  NO_COLOR: "1",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
}

/**
 * The wrangler on PATH, which npm makes the project's own.
 * @param options added to every command, such as `--config <file>`
 */
export const wranglerOnPath =
  (options: string[]): Wrangler =>
  (command) => {
    const work = mkdtempSync(join(tmpdir(), "tenancy-deploy-"))
    const output = join(work, "output.ndjson")
    try {
      const { status, stdout, stderr, error } = spawnSync("wrangler", [...command, ...options], {
        cwd: root,
        encoding: "utf8",
        maxBuffer: 64 * 1024 * 1024,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          ...QUIET,
          PATH: [process.env.PATH, join(root, "node_modules", ".bin")].join(delimiter),
          WRANGLER_OUTPUT_FILE_PATH: output,
        },
      })
      if (error) throw error
      return { ok: status === 0, stdout, words: `${stdout}${stderr}`.trim(), entries: entriesOf(output) }
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }

/**
 * JSON that wrangler printed, whatever it said before it.
 * @throws Error with its words when there is none
 */
export function jsonOf({ stdout, words }: WranglerAnswer): unknown {
  const start = stdout.search(/^[[{]/m)
  try {
    return JSON.parse(stdout.slice(Math.max(start, 0)))
  } catch {
    throw new Error(`wrangler answered no JSON: ${words.slice(0, 2000)}`)
  }
}

function entriesOf(file: string): Record<string, unknown>[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  } catch {
    return []
  }
}
