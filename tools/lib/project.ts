// Where things are: the project's root, the state directory, the port, and what wrangler.toml says.
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "smol-toml"

/** The project's root directory, wherever the command was called from. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The file of local secrets, read by `wrangler dev` and by the operator's command line. */
export const secretsFile = join(root, ".dev.vars")

/** Something the person at the keyboard can put right; shown as its one sentence, without a stack. */
export class UserError extends Error {
  override readonly name = "UserError"
}

/** One `[[d1_databases]]` block of wrangler.toml. */
export interface Database {
  binding: string
  database_name: string
  database_id: string
  /** Relative to the root. */
  migrations_dir: string
}

/** What the scripts read of wrangler.toml. */
export interface WranglerConfig {
  name: string
  main: string
  routes: { pattern: string; zone_name?: string }[]
  d1_databases: Database[]
  queues: { producers: { binding: string; queue: string }[]; consumers: { queue: string }[] }
  r2_buckets: { bucket_name: string }[]
  triggers: { crons: string[] }
  vars: Record<string, unknown>
  secrets: { required: string[] }
}

/**
 * wrangler.toml, parsed. (Wrangler's own reader takes two seconds to load, which a start would notice.)
 * @param file another file than that of the root
 */
export function wranglerConfig(file = join(root, "wrangler.toml")): WranglerConfig {
  const config = parse(readFileSync(file, "utf8")) as Partial<WranglerConfig>
  return {
    name: config.name ?? "",
    main: config.main ?? "",
    routes: config.routes ?? [],
    d1_databases: config.d1_databases ?? [],
    queues: { producers: config.queues?.producers ?? [], consumers: config.queues?.consumers ?? [] },
    r2_buckets: config.r2_buckets ?? [],
    triggers: { crons: config.triggers?.crons ?? [] },
    vars: config.vars ?? {},
    secrets: { required: config.secrets?.required ?? [] },
  }
}

/**
 * The port the platform listens on.
 * @param env environment with an optional `PORT`
 * @throws UserError when `PORT` is not a port number
 */
export function portOf(env: Record<string, string | undefined>): number {
  const text = env.PORT || "8787"
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new UserError(`PORT must be a number from 1 to 65535, not "${text}".`)
  }
  return port
}

/** The directory that holds everything a local platform remembers, absolute; a relative `STATE_DIR` is meant from the caller's directory. */
export function stateDirectoryOf(env: Record<string, string | undefined>): string {
  return env.STATE_DIR ? resolve(env.INIT_CWD ?? process.cwd(), env.STATE_DIR) : join(root, ".wrangler", "state")
}
