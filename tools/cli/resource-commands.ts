// Runs commands of the control-plane API with an API key.
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline/promises"
import { ApiError, sendRequest } from "../lib/api.ts"
import { root, UserError } from "../lib/project.ts"
import type { Document } from "../openapi/document.ts"
import type { JsonSchema } from "../openapi/json-schema.ts"
import { type CommandLine, getTextOption } from "./arguments.ts"
import type { Command } from "./commands.ts"
import type { ResourceCommand } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { readSecrets, readTextFile } from "./secrets.ts"
import type { Json } from "./table.ts"

/** Fields that a table shows of a resource; all fields without an entry. */
const COLUMNS: Record<string, string[]> = {
  "audit:list": ["id", "type", "from_status", "to_status", "created_at"],
  "deliveries:list": ["id", "event", "status", "attempt", "response_status", "error", "created_at"],
  "plans:list": ["slug", "name", "price_cents", "currency", "interval", "trial_days", "is_active"],
  "stores:list": ["id", "name", "status", "access_state", "owner_email", "created_at"],
  "webhooks:list": ["id", "url", "events", "is_active", "description", "created_at"],
}

/** Items per page with `--all`. */
const PAGE_SIZE = 100

/** Reads the control plane's document. */
export const readPlatformDocument = (): Document =>
  JSON.parse(readFileSync(join(root, "openapi/platform.json"), "utf8")) as Document

/** A response to print. */
export interface ResourceResult {
  /** The resource, with the fields next to `data`, such as the `secret` of a new endpoint. */
  data: Json
  /** The columns of a table. */
  columns: string[] | undefined
  /** Tells which page of a longer list was printed. */
  footer: string | undefined
}

interface ResponseBody {
  data?: Json
  meta?: { page?: number; last_page?: number; total?: number }
  links?: Json
  error?: { code?: string; message?: string; errors?: Record<string, string[]> }
}

/**
 * Runs a command of the API with the platform's API key.
 * @param options those of the command line, under the names of the command
 * @throws ApiError for an error response, UserError for an invalid option
 */
export async function runResourceCommand(
  command: ResourceCommand,
  options: CommandLine["options"],
  platform: Platform,
): Promise<ResourceResult> {
  const secrets = command.options.filter(({ secret }) => secret).map(({ name }) => name)
  const { path, query, body } = buildRequest(command, await readSecrets(options, secrets))
  const isAll = options.all !== undefined && options.all !== "false"
  if (isAll) query.set("per_page", String(PAGE_SIZE))
  const idempotencyKey = getTextOption(options, "idempotency-key") ?? randomUUID()
  const send = async (): Promise<ResponseBody> => {
    const url = new URL(path, platform.base)
    url.search = query.toString()
    const { status, text } = await sendRequest(url, {
      method: command.method,
      headers: {
        Authorization: `Bearer ${platform.apiKey()}`,
        ...(command.method !== "GET" && { "Idempotency-Key": idempotencyKey }),
      },
      body: body && JSON.stringify(body),
    })
    return parseResponse(status, text)
  }
  const first = await send()
  let { data } = first
  for (let page = 2; isAll && page <= (first.meta?.last_page ?? 1); page++) {
    query.set("page", String(page))
    data = [...(data as Json[]), ...(((await send()).data ?? []) as Json[])]
  }
  const { data: _, meta, links: __, error: ___, ...extra } = first
  return {
    data: isObject(data) ? { ...data, ...extra } : (data ?? null),
    columns: COLUMNS[command.name],
    footer: isAll ? undefined : formatFooter(meta),
  }
}

function formatFooter({ page, last_page, total }: ResponseBody["meta"] & object = {}): string | undefined {
  if (page === undefined || last_page === undefined || last_page <= 1) return undefined
  return `Page ${page} of ${last_page}, ${total} in total. --page=${Math.min(page + 1, last_page)} shows another, --all all of them.`
}

/** Asks for the value of `--confirm`, on a terminal, if the command requires one. */
export async function askForConfirmation(
  command: Command,
  line: CommandLine,
  terminal: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream } = process,
): Promise<CommandLine> {
  const needsConfirmation = command.options.some(({ name, required }) => name === "confirm" && required)
  if (!needsConfirmation || line.options.confirm !== undefined || !terminal.stdin.isTTY || line.json) return line
  const reader = createInterface({ input: terminal.stdin, output: terminal.stderr })
  try {
    const confirm = await reader.question(`${command.name} cannot be undone. Type ${line.positionals[0]} to confirm: `)
    return { ...line, options: { ...line.options, confirm } }
  } finally {
    reader.close()
  }
}

function parseResponse(status: number, text: string): ResponseBody {
  const body = parseJson(text)
  if (status < 300) return body ?? {}
  const { code, message, errors } = body?.error ?? {}
  throw new ApiError(status, code ?? "http_error", message ?? `The response has status ${status}.`, errors ?? {})
}

function parseJson(text: string): ResponseBody | undefined {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

/** Builds a command's request from its options. */
export function buildRequest(
  { path, fields }: Pick<ResourceCommand, "path" | "fields">,
  options: CommandLine["options"],
): { path: string; query: URLSearchParams; body: Record<string, unknown> | undefined } {
  let filled = path
  const query = new URLSearchParams()
  const body: Record<string, unknown> = readData(options)
  for (const [option, { place, name, schema }] of Object.entries(fields)) {
    const value = options[option]
    if (value === undefined) continue
    if (place === "body") body[name] = parseValue(option, schema, value)
    else if (place === "query") query.set(name, parseFlat(option, value))
    else filled = filled.replace(`{${name}}`, encodePathSegment(option, parseFlat(option, value)))
  }
  const hasBody = Object.values(fields).some(({ place }) => place === "body")
  return { path: filled, query, body: hasBody ? body : undefined }
}

/** Reads the fields of `--data=`: JSON, or a file for `@file`. */
function readData(options: CommandLine["options"]): Record<string, unknown> {
  const data = getTextOption(options, "data")
  if (data === undefined) return {}
  const value = parseJson(data.startsWith("@") ? readTextFile(data.slice(1)) : data)
  if (!isObject(value)) throw new UserError("--data must be a JSON object.")
  return value
}

/** Parses a value of the path or the query; a repeated option is a comma-separated list. */
function parseFlat(option: string, value: CommandLine["options"][string]): string {
  if (Array.isArray(value)) return value.map((one) => parseFlat(option, one)).join(",")
  return String(value)
}

function encodePathSegment(option: string, text: string): string {
  if (text === "" || text === "." || text === "..") throw new UserError(`<${option}> cannot be "${text}".`)
  return encodeURIComponent(text)
}

/**
 * Converts an option to the JSON value that its schema asks for: lists are comma-separated, repeated or JSON, objects
 * are JSON. Text that does not fit is sent as it is, so that the platform describes the error.
 */
function parseValue(option: string, schema: JsonSchema, value: CommandLine["options"][string]): unknown {
  const alternatives = schema.anyOf ?? schema.oneOf ?? [schema]
  const types = alternatives.flatMap((one) => one.type ?? (one.$ref ? "object" : []))
  if (types.includes("array")) {
    if (value === "null" && types.includes("null")) return null
    const json = typeof value === "string" && value.trimStart().startsWith("[") ? parseJson(value) : undefined
    if (Array.isArray(json)) return json
    const items = [value].flat().flatMap((one) => String(one).split(","))
    return items.map((item) => item.trim()).filter(Boolean)
  }
  if (Array.isArray(value)) throw new UserError(`--${option} can only be given once.`)
  if (value === true) {
    if (types.includes("boolean")) return true
    throw new UserError(`--${option} requires a value: --${option}=<value>`)
  }
  if (value === "null" && types.includes("null")) return null
  if (types.includes("string") && !types.includes("object")) return value
  if ((types.includes("integer") || types.includes("number")) && value.trim() !== "" && Number.isFinite(Number(value)))
    return Number(value)
  if (types.includes("boolean") && (value === "true" || value === "false")) return value === "true"
  if (types.includes("object")) return parseJson(value) ?? value
  return value
}

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
