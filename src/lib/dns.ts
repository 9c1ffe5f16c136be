// Resolves DNS records over HTTPS with the JSON API of Cloudflare and Google.

import { assertNever } from "./assert-never"
import { readBoundedText } from "./read-text"

/** Supported record types with their numbers (RFC 1035, RFC 3596). */
const RECORD_TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const

const TIMEOUT_MS = 3_000
const MAX_BODY_BYTES = 64 * 1_024

const NO_ERROR = 0
const NAME_ERROR = 3

export type RecordType = keyof typeof RECORD_TYPES

/**
 * The result of a lookup: `ok` with the records of the requested type (possibly none), `nxdomain` when the name does
 * not exist, `failed` when the resolver reported an error (such as SERVFAIL or REFUSED) or a truncated answer,
 * `unanswered` when there was no readable response.
 */
export interface Lookup {
  status: "ok" | "nxdomain" | "failed" | "unanswered"
  records: string[]
}

export interface Resolver {
  /**
   * Looks up the records of one type. Never throws.
   *
   * Address records count under any owner name, because the answer contains the whole chain of aliases.
   *
   * @param name an ASCII host name.
   * @returns addresses as text, alias targets without the final dot, or texts with their strings joined.
   */
  lookup(name: string, type: RecordType): Promise<Lookup>
}

/**
 * Creates a client of a resolver.
 *
 * @param url the resolver's JSON endpoint, such as `https://cloudflare-dns.com/dns-query`.
 * @param send the function that sends requests.
 */
export function resolver(
  url: string,
  send: (url: string, request: RequestInit & { signal: AbortSignal }) => Promise<Response>,
): Resolver {
  return {
    async lookup(name, type) {
      try {
        const query = new URL(url)
        query.searchParams.set("name", name)
        query.searchParams.set("type", type)
        const response = await send(query.href, {
          headers: { Accept: "application/dns-json" },
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        return readAnswer(await readJson(response), type)
      } catch {
        return { status: "unanswered", records: [] }
      }
    },
  }
}

/** Reads the body as JSON; throws on another status than 200 and on a body past the limit, without reading the rest. */
async function readJson(response: Response): Promise<unknown> {
  const { body, status } = response
  if (body === null) throw new TypeError("the resolver answered nothing")
  if (status !== 200) {
    await body.cancel()
    throw new TypeError(`the resolver answered ${status}`)
  }

  return JSON.parse(await readBoundedText(response, MAX_BODY_BYTES))
}

function readAnswer(message: unknown, type: RecordType): Lookup {
  if (!isMessage(message)) return { status: "unanswered", records: [] }
  if (message.Status === NAME_ERROR) return { status: "nxdomain", records: [] }
  // A truncated answer may lack the very record that matters.
  if (message.Status !== NO_ERROR || message.TC === true) return { status: "failed", records: [] }

  const answers = (message.Answer ?? []).filter((record) => record.type === RECORD_TYPES[type])
  return { status: "ok", records: answers.map((record) => readData(record.data, type)) }
}

interface Message {
  Status: number
  TC?: boolean
  Answer?: { type: number; data: string }[]
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null || !("Status" in value)) return false
  if (typeof value.Status !== "number") return false
  if (!("Answer" in value)) return true
  return Array.isArray(value.Answer) && value.Answer.every(isResourceRecord)
}

function isResourceRecord(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false
  return "type" in value && typeof value.type === "number" && "data" in value && typeof value.data === "string"
}

function readData(data: string, type: RecordType): string {
  switch (type) {
    case "A":
    case "AAAA":
      return data
    case "CNAME":
      return data.replace(/\.$/, "")
    case "TXT":
      return readText(data)
    default:
      return assertNever(type)
  }
}

/**
 * Joins the strings of a TXT record. Resolvers use different forms: some quote each string as a zone file does
 * (RFC 1035 section 5.1: `\"`, `\\`, `\123`), some return the bare text.
 */
function readText(data: string): string {
  // Each string must start where the previous one ended, so text that only looks quoted is scanned once.
  const quoted = /"((?:[^"\\]|\\.)*)"\s*/gsy
  let text = ""
  while (quoted.lastIndex < data.length) {
    const string = quoted.exec(data)
    if (!string) return data
    text += unescapeText(string[1] ?? "")
  }
  return text
}

function unescapeText(string: string): string {
  return string.replace(/\\([0-9]{3}|.)/gs, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number(escaped)) : escaped,
  )
}
