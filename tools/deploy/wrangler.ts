// Runs wrangler commands for a deployment and captures their output.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { root } from "../lib/project.ts"

export interface WranglerResult {
  ok: boolean
  stdout: string
  /** stdout and stderr, for error messages. */
  output: string
  /** Wrangler's structured output, e.g. `{type: "version-upload", version_id}`. */
  entries: Record<string, unknown>[]
}

/** Runs one wrangler command. */
export type Wrangler = (command: string[]) => WranglerResult

/** Disables prompts, colors and telemetry; the account and its token come from the environment. */
const ENVIRONMENT = {
  CI: "true",
  NO_COLOR: "1",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
}

/**
 * Creates a runner for the wrangler on PATH, which npm sets to the project's own.
 * @param options added to every command, e.g. `--config <file>`
 */
export const createWranglerRunner =
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
          ...ENVIRONMENT,
          PATH: [process.env.PATH, join(root, "node_modules", ".bin")].join(delimiter),
          WRANGLER_OUTPUT_FILE_PATH: output,
        },
      })
      if (error) throw error
      return { ok: status === 0, stdout, output: `${stdout}${stderr}`.trim(), entries: readEntries(output) }
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }

/**
 * Parses the JSON in wrangler's output, ignoring messages before it.
 * @throws Error with the output when it contains no JSON
 */
export function parseJson({ stdout, output: words }: WranglerResult): unknown {
  const start = stdout.search(/^[[{]/m)
  try {
    return JSON.parse(stdout.slice(Math.max(start, 0)))
  } catch {
    throw new Error(`wrangler returned no JSON: ${words.slice(0, 2000)}`)
  }
}

function readEntries(file: string): Record<string, unknown>[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  } catch {
    return []
  }
}
