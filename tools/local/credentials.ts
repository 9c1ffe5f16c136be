// Reads and writes `<state>/credentials.json`, which lets people and tests use the demo platform.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** The demo credentials; a section exists once the seed has created it. */
export interface Credentials {
  base_url: string
  operator_token: string
  operator?: { email: string; password: string }
  /** The owner of the first demo store. */
  owner?: { email: string; password: string }
  platform?: { write_key: string; read_key: string }
  content?: { api_key: string; internal_key: string; user: { email: string; password: string } }
  licenses?: { external_key: string; internal_key: string; product_id: string; license_code: string }
}

/** Reads the credentials; null when the file does not exist yet. */
export function readCredentials(file: string): Credentials | null {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null
}

/** Replaces the file atomically, readable only by its owner. */
export function writeCredentials(file: string, credentials: Credentials): void {
  const draft = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}
