// `api <METHOD> <path>`: sends any request to the platform with an API key.
import { randomUUID } from "node:crypto"
import { text as readText } from "node:stream/consumers"
import { sendRequest } from "../lib/api.ts"
import { UserError } from "../lib/project.ts"
import { type CommandLine, getTextOption } from "./arguments.ts"
import { type ExitCode, getExitCodeForStatus } from "./exit.ts"
import type { Platform } from "./platform.ts"
import { readTextFile } from "./secrets.ts"
import { escapeUnprintable } from "./terminal.ts"

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]

/** Prefix of a path that does not start with `/api/`. */
const CONTROL_PLANE_PATH = "/api/platform/v1"

/**
 * Sends the request.
 * @returns the response body to print, also for an error response, and the exit code
 * @throws UserError for invalid arguments
 */
export async function sendApiRequest(
  options: CommandLine["options"],
  platform: Platform,
): Promise<{ text: string; exit: ExitCode }> {
  const method = getTextOption(options, "method")?.toUpperCase() ?? ""
  const path = getTextOption(options, "path") ?? ""
  if (!METHODS.includes(method) || !path.startsWith("/"))
    throw new UserError('Usage: api <METHOD> <path> [--data=<JSON>], for example: api GET "/stores?per_page=5"')
  const url = new URL(path.startsWith("/api/") ? path : CONTROL_PLANE_PATH + path, platform.base)
  // A path that starts with two slashes would name another host.
  if (url.origin !== new URL(platform.base).origin) throw new UserError(`${path} is not a path on ${platform.base}.`)
  const isOperatorApi = url.pathname.startsWith("/api/operator/")
  const body = await readBody(options)
  const isWrite = !["GET", "HEAD", "OPTIONS"].includes(method)
  const headers = {
    Authorization: `Bearer ${isOperatorApi ? platform.operatorToken() : platform.apiKey()}`,
    ...(isWrite && { "Idempotency-Key": randomUUID() }),
  }
  const { status, text } = await sendRequest(url, { method, headers, body })
  return { text: escapeUnprintable(prettyPrint(text)), exit: getExitCodeForStatus(status) }
}

/** Reads `--data=`: the value itself, a file for `@file`, or standard input for `-`. */
async function readBody(options: CommandLine["options"]): Promise<string | undefined> {
  const data = getTextOption(options, "data")
  if (data === undefined) return undefined
  const text = data === "-" ? await readText(process.stdin) : data.startsWith("@") ? readTextFile(data.slice(1)) : data
  try {
    JSON.parse(text)
  } catch {
    throw new UserError("--data must be JSON. Use --data=@file to read a file or --data=- to read standard input.")
  }
  return text
}

function prettyPrint(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
