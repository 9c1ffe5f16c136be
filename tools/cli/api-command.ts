// `api <VERB> <path>`: any request to the platform, with an API key.
import { randomUUID } from "node:crypto"
import { text as readText } from "node:stream/consumers"
import { exchange } from "../lib/api.ts"
import { UserError } from "../lib/project.ts"
import { allowOptions, type CommandLine, textOption } from "./arguments.ts"
import { type Exit, exitOfStatus } from "./exit.ts"
import type { Platform } from "./platform.ts"
import { readFile } from "./secrets.ts"
import { escaped } from "./terminal.ts"

const VERBS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]

/** What stands before a path that names no API. */
const CONTROL_PLANE = "/api/platform/v1"

/**
 * Makes the request.
 * @returns what is to be printed, and how it ended: a refusal is printed as the platform words it
 * @throws UserError for a request that cannot be made
 */
export async function callPath(
  { words, options }: CommandLine,
  platform: Platform,
): Promise<{ text: string; exit: Exit }> {
  allowOptions(options, ["data"])
  const [verb = "", path = ""] = words
  const method = verb.toUpperCase()
  if (!VERBS.includes(method) || !path.startsWith("/"))
    throw new UserError("Written api <VERB> <path> [--data=<JSON>], such as: api GET /stores?per_page=5")
  const url = new URL(path.startsWith("/api/") ? path : CONTROL_PLANE + path, platform.base)
  // What begins with two slashes would name another host.
  if (url.origin !== new URL(platform.base).origin) throw new UserError(`${path} is no path of ${platform.base}.`)
  const isOperators = url.pathname.startsWith("/api/operator/")
  const body = await bodyOf(options)
  const isWrite = !["GET", "HEAD", "OPTIONS"].includes(method)
  const headers = {
    Authorization: `Bearer ${isOperators ? platform.operatorToken() : platform.apiKey()}`,
    ...(isWrite && { "Idempotency-Key": randomUUID() }),
  }
  const { status, text } = await exchange(url, { method, headers, body })
  return { text: escaped(pretty(text)), exit: exitOfStatus(status) }
}

/** `--data=` as it stands, from a file after `@`, or from standard input for `-`. */
async function bodyOf(options: CommandLine["options"]): Promise<string | undefined> {
  const data = textOption(options, "data")
  if (data === undefined) return undefined
  const text = data === "-" ? await readText(process.stdin) : data.startsWith("@") ? readFile(data.slice(1)) : data
  try {
    JSON.parse(text)
  } catch {
    throw new UserError("--data is no JSON; --data=@file reads a file, --data=- standard input.")
  }
  return text
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
