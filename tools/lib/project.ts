// Resolves the project's paths, its port and the contents of wrangler.toml.
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "smol-toml"

/** The project's root directory, independent of the working directory. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Local secrets, read by `wrangler dev` and by the operator's command line. */
export const secretsFile = join(root, ".dev.vars")

/** An error that the user can fix; printed without a stack trace. */
export class UserError extends Error {
  override readonly name = "UserError"
}

/** A command needs a token, a key or a login that is not set. */
export class MissingCredentialsError extends UserError {}

/** A program that the command runs failed. */
export class ProgramError extends UserError {}

/** One `[[d1_databases]]` block of wrangler.toml. */
export interface Database {
  binding: string
  database_name: string
  database_id: string
  /** Relative to the root. */
  migrations_dir: string
}

/** One `[[queues.consumers]]` block of wrangler.toml. */
interface QueueConsumer {
  queue: string
  dead_letter_queue?: string
  max_batch_size?: number
  /** In seconds. */
  max_batch_timeout?: number
  max_retries?: number
  max_concurrency?: number
  /** In seconds. */
  retry_delay?: number
}

/** The parts of wrangler.toml that the scripts use. */
export interface WranglerConfig {
  name: string
  /** The Cloudflare account; empty uses the login's only account. */
  account_id: string
  main: string
  routes: { pattern: string; zone_name?: string }[]
  d1_databases: Database[]
  queues: { producers: { binding: string; queue: string }[]; consumers: QueueConsumer[] }
  r2_buckets: { binding: string; bucket_name: string; jurisdiction?: string }[]
  triggers: { crons: string[] }
  vars: Record<string, unknown>
  secrets: { required: string[] }
}

/**
 * Parses wrangler.toml. Wrangler's own parser takes two seconds to load, which would slow down every start.
 * @param file path; defaults to the file in the root
 */
export function readWranglerConfig(file = join(root, "wrangler.toml")): WranglerConfig {
  const config = parse(readFileSync(file, "utf8")) as Partial<WranglerConfig>
  return {
    name: config.name ?? "",
    account_id: config.account_id ?? "",
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
 * Returns the port of the local platform.
 * @param env environment with an optional `PORT`
 * @throws UserError for an invalid `PORT`
 */
export function getPort(env: Record<string, string | undefined>): number {
  const text = env.PORT || "8787"
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new UserError(`PORT must be a number from 1 to 65535, not "${text}".`)
  }
  return port
}

/**
 * Returns the absolute data directory of the local platform. A relative `STATE_DIR` starts at the caller's directory.
 */
export function getStateDirectory(env: Record<string, string | undefined>): string {
  return env.STATE_DIR ? resolve(env.INIT_CWD ?? process.cwd(), env.STATE_DIR) : join(root, ".wrangler", "state")
}
