// `listen`: prints events as they are committed, and forwards each one, signed, to a local receiver. The position is
// saved to disk after every event, so a crash on either side neither loses nor reorders events.
import { createHash, createHmac, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { buildThinPayload } from "../../src/webhooks/thin-payload.ts"
import { ApiError, callApi } from "../lib/api.ts"
import { UserError } from "../lib/project.ts"
import { type CommandLine, getTextOption } from "./arguments.ts"
import { parseListenFilter } from "./listen-filter.ts"
import { parseListenHeaders } from "./listen-headers.ts"
import { createPacer } from "./listen-pace.ts"
import type { Platform } from "./platform.ts"
import { backOff, retryUntilReachable } from "./retry.ts"
import { createPainter, escapeUnprintable, replaceUnprintable, supportsColor } from "./terminal.ts"

/** Long-poll timeout of one request for events. */
const LONG_POLL_SECONDS = 25

/** Timeout of one forwarded request. */
const RECEIVER_TIMEOUT_MS = 30_000

interface EventPage {
  events: { id: string; payload: string }[]
  next_cursor: string
}

/** State on disk, one file per combination of platform and options. */
interface ListenState {
  cursor: string | null
  /** Signs forwarded events; stays the same after a restart, so the receiver's configuration remains valid. */
  secret: string
  /** The id of the last event that the receiver accepted. */
  delivered?: string
}

/**
 * Listens until the process ends.
 * @throws UserError for invalid options; ApiError when the platform refuses, e.g. for an expired position
 */
export async function listen({ options, json }: CommandLine, platform: Platform): Promise<never> {
  const [forward, types, store, from, format] = ["forward", "types", "store", "from", "payload"].map((name) =>
    getTextOption(options, name),
  )
  const conditions = listTexts(options, "filter")
  const headers = parseListenHeaders(listTexts(options, "header"))
  const pace = createPacer(getTextOption(options, "max-per-second"))
  const matches = parseListenFilter(conditions)
  if (format !== undefined && format !== "full" && format !== "thin")
    throw new UserError("--payload must be full or thin")
  if (forward !== undefined && !(URL.canParse(forward) && /^https?:$/.test(new URL(forward).protocol)))
    throw new UserError("--forward must be an http or https URL, e.g. http://localhost:3000/hook.")
  const reconcile = options.reconcile === true || options.reconcile === "true"
  // Without these options, the name is the one of older versions.
  const filter = conditions.length ? conditions.join("\n") : undefined
  const file = getStateFile(platform.base, { forward, types, store, filter, payload: format })
  let state = readState(file)
  const save = (changes: Partial<ListenState>) => {
    state = { ...state, ...changes }
    writeState(file, state)
  }
  let after = from === undefined ? (state.cursor ?? "now") : from === "start" ? undefined : from
  save({})
  const read = (after: string | undefined, wait: number) =>
    callApi<EventPage>(platform.base, platform.operatorToken(), "POST", "/api/operator/v1/events:list", {
      ...(after !== undefined && { after }),
      ...(types !== undefined && { types }),
      ...(store !== undefined && { store }),
      limit: "50",
      wait: String(wait),
    })
  /** Whether the platform can list the events after a cursor: it exists, and has not expired. */
  const isReadable = async (cursor: string) => {
    try {
      await retryUntilReachable(() => read(cursor, 0))
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      console.error(`The receiver has only the events up to ${cursor}, which the platform rejects: ${error.message}`)
      return false
    }
  }
  // `now` becomes a cursor before the message that promises to forward every event from here on.
  if (after === "now") {
    after = (await retryUntilReachable(() => read("now", 0))).next_cursor
    save({ cursor: after })
  }
  if (forward) console.error(`Forwarding to ${forward}, signed with ${state.secret}`)
  /** The last cursor that was behind; a receiver that always reports it gets the later events again only once. */
  let resentAfter: string | undefined
  for (;;) {
    const { events, next_cursor } = await retryUntilReachable(() => read(after, LONG_POLL_SECONDS))
    let next = next_cursor
    for (const { id, payload: full } of events) {
      if (!matches(full)) continue
      const payload = format === "thin" ? buildThinPayload(full, `${platform.base}/api/platform/v1/events/${id}`) : full
      if (forward === undefined) {
        printEvent(payload, null, json)
        save({ cursor: id })
        continue
      }
      const { status, cursor } = await deliver({ url: forward, secret: state.secret, headers, pace }, id, payload)
      printEvent(payload, status, json)
      const isBehind = reconcile && cursor !== resentAfter && lacksEvents(cursor, state.delivered)
      if (isBehind) resentAfter = cursor
      const resends = isBehind && (await isReadable(cursor))
      save({ cursor: resends ? cursor : id, delivered: id })
      if (!resends) continue
      console.error(`The receiver has only the events up to ${cursor}. Forwarding the later ones again.`)
      next = cursor
      break
    }
    after = next
    save({ cursor: next })
  }
}

/** The id of an event. Ids sort by time. */
const EVENT_ID = /^[0-9A-Z]{26}$/

/**
 * Whether a receiver reports less than it has accepted, because it was restored from a backup.
 * @param cursor what it reports; feed cursors are ignored, because they cannot be compared
 * @param delivered the last event that it accepted before
 */
const lacksEvents = (cursor: string, delivered: string | undefined): boolean =>
  delivered !== undefined && EVENT_ID.test(cursor) && cursor < delivered

/** Returns the values of an option that may be repeated. */
function listTexts(options: CommandLine["options"], name: string): string[] {
  const values = [options[name] ?? []].flat()
  if (values.includes(true)) throw new UserError(`--${name} requires a value: --${name}=<value>`)
  return values.filter((value) => value !== true)
}

interface Receiver {
  url: string
  secret: string
  headers: Readonly<Record<string, string>>
  /** Waits until the next request may be sent. */
  pace: () => Promise<void>
}

/** A 2xx response. */
interface Accepted {
  status: number
  /** The `webhook-cursor` header; empty without it. */
  cursor: string
}

/** Posts an event until the receiver accepts it; later events wait, which preserves the order. */
async function deliver(receiver: Receiver, id: string, payload: string): Promise<Accepted> {
  for (let failures = 0; ; failures++) {
    await receiver.pace()
    const outcome = await post(receiver, id, payload)
    if (typeof outcome !== "string") return outcome
    if (failures === 0) console.error(`The receiver rejected ${id} (${outcome}). Retrying.`)
    await backOff(failures)
  }
}

/** @returns the accepted response, or the reason for the failure */
async function post({ url, secret, headers: own }: Receiver, id: string, payload: string): Promise<Accepted | string> {
  try {
    const headers = new Headers(own)
    for (const [name, value] of Object.entries(signHeaders(secret, id, payload))) headers.set(name, value)
    const signal = AbortSignal.timeout(RECEIVER_TIMEOUT_MS)
    const response = await fetch(url, { method: "POST", headers, body: payload, redirect: "manual", signal })
    await response.body?.cancel()
    const { status, ok } = response
    return ok ? { status, cursor: response.headers.get("webhook-cursor")?.trim() ?? "" } : String(status)
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return cause?.code ?? message
  }
}

/** Builds the headers of a webhook, with both signature schemes. */
function signHeaders(secret: string, id: string, payload: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000)
  const own = createHmac("sha256", secret).update(`${timestamp}.${payload}`).digest("hex")
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const standard = createHmac("sha256", key).update(`${id}.${timestamp}.${payload}`).digest("base64")
  return {
    "Content-Type": "application/json",
    "X-Tenancy-Event": JSON.parse(payload).type,
    "X-Tenancy-Delivery": id,
    "X-Tenancy-Signature": `t=${timestamp},v1=${own}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${standard}`,
  }
}

function printEvent(payload: string, status: number | null, json: boolean): void {
  if (json) return void console.log(escapeUnprintable(payload))
  const event = JSON.parse(payload)
  const paint = createPainter(supportsColor(process.stdout))
  const about = event.data?.store?.id ?? event.data?.license?.license_code ?? ""
  const parts = [
    paint("dim", event.created_at),
    paint("bold", event.type),
    replaceUnprintable(String(about)),
    paint("dim", event.id),
  ]
  console.log([...parts, ...(status === null ? [] : [paint("green", String(status))])].filter(Boolean).join("  "))
}

/** Returns the state file below `$XDG_STATE_HOME/tenancy/listen`, or below `~/.local/state` by default. */
function getStateFile(base: string, options: Record<string, string | undefined>): string {
  const name = createHash("sha256")
    .update(JSON.stringify([base, options]))
    .digest("hex")
    .slice(0, 16)
  return join(process.env.XDG_STATE_HOME || join(homedir(), ".local/state"), "tenancy/listen", `${name}.json`)
}

function readState(file: string): ListenState {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"))
  return { cursor: null, secret: `whsec_${randomBytes(30).toString("base64")}` }
}

function writeState(file: string, state: ListenState): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 })
  renameSync(draft, file)
}
