// The local secrets in .dev.vars: made once, completed when a new one is needed, never changed.
import { randomBytes } from "node:crypto"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { parseEnv } from "node:util"

/** How each secret is made when it is not there yet. */
const makers: Record<string, () => string> = {
  APP_KEY: () => `base64:${randomBytes(32).toString("base64")}`,
  OPERATOR_TOKEN: () => randomBytes(30).toString("base64url"),
  STRIPE_WEBHOOK_SECRET: () => `whsec_${randomBytes(24).toString("base64url")}`,
  MARKETPLACE_TOKEN: () => randomBytes(24).toString("base64url"),
}

/**
 * The lines that a file of secrets lacks.
 * @param text the file as it is, possibly empty
 * @returns what to append to it, possibly nothing
 */
export function missingSecrets(text: string): string {
  const present = parseEnv(text)
  const lines = Object.entries(makers)
    .filter(([name]) => !(name in present))
    .map(([name, make]) => `${name}="${make()}"\n`)
  const unfinished = lines.length > 0 && text !== "" && !text.endsWith("\n")
  return (unfinished ? "\n" : "") + lines.join("")
}

/**
 * Makes sure that `file` holds every secret, readable by its owner only. A new file is written by one process only, so
 * that two starts at once agree on its contents.
 * @returns the secrets by name
 */
export function ensureSecrets(file: string): Record<string, string | undefined> {
  try {
    writeFileSync(file, `# Secrets of this machine's Worker, made by npm start.\n${missingSecrets("")}`, {
      mode: 0o600,
      flag: "wx",
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    const missing = missingSecrets(readFileSync(file, "utf8"))
    if (missing) appendFileSync(file, missing)
  }
  return parseEnv(readFileSync(file, "utf8"))
}
