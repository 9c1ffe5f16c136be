// `listen`: prints events as they are committed, and forwards each one, signed, to a local receiver. The position is
// saved to disk after every event, so a crash on either side neither loses nor reorders events.
import { createHash, createHmac, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { buildThinPayload } from "../../src/webhooks/thin-payload.ts"
import { callApi } from "../lib/api.ts"
import { UserError } from "../lib/project.ts"
import { type CommandLine, getTextOption } from "./arguments.ts"
import { parseListenFilter } from "./listen-filter.ts"
import { parseListenHeaders } from "./listen-headers.ts"
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
  const matches = parseListenFilter(conditions)
  if (format !== undefined && format !== "full" && format !== "thin")
    throw new UserError("--payload must be full or thin")
  if (forward !== undefined && !(URL.canParse(forward) && /^https?:$/.test(new URL(forward).protocol)))
    throw new UserError("--forward must be an http or https URL, e.g. http://localhost:3000/hook.")
  // Without these options, the name is the one of older versions.
  const filter = conditions.length ? conditions.join("\n") : undefined
  const file = getStateFile(platform.base, { forward, types, store, filter, payload: format })
  const state = readState(file)
  let after = from === undefined ? (state.cursor ?? "now") : from === "start" ? undefined : from
  writeState(file, state)
  if (forward) console.error(`Forwarding to ${forward}, signed with ${state.secret}`)
  const read = () =>
    callApi<EventPage>(platform.base, platform.operatorToken(), "POST", "/api/operator/v1/events:list", {
      ...(after !== undefined && { after }),
      ...(types !== undefined && { types }),
      ...(store !== undefined && { store }),
      limit: "50",
      // Without a wait, `now` becomes a cursor at once, which is saved before the first event.
      wait: String(after === "now" ? 0 : LONG_POLL_SECONDS),
    })
  for (;;) {
    const { events, next_cursor } = await retryUntilReachable(read)
    for (const { id, payload: full } of events) {
      if (!matches(full)) continue
      const payload = format === "thin" ? buildThinPayload(full, `${platform.base}/api/platform/v1/events/${id}`) : full
      const status =
        forward === undefined ? null : await deliver({ url: forward, secret: state.secret, headers }, id, payload)
      printEvent(payload, status, json)
      after = id
      writeState(file, { ...state, cursor: id })
    }
    after = next_cursor
    writeState(file, { ...state, cursor: next_cursor })
  }
}

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
}

/**
 * Posts an event until the receiver accepts it; later events wait, which preserves the order.
 * @returns the status of the accepted response
 */
async function deliver(receiver: Receiver, id: string, payload: string): Promise<number> {
  for (let failures = 0; ; failures++) {
    const outcome = await post(receiver, id, payload)
    if (typeof outcome === "number" && outcome >= 200 && outcome < 300) return outcome
    if (failures === 0) console.error(`The receiver rejected ${id} (${outcome}). Retrying.`)
    await backOff(failures)
  }
}

async function post({ url, secret, headers: own }: Receiver, id: string, payload: string): Promise<number | string> {
  try {
    const headers = new Headers(own)
    for (const [name, value] of Object.entries(signHeaders(secret, id, payload))) headers.set(name, value)
    const signal = AbortSignal.timeout(RECEIVER_TIMEOUT_MS)
    const response = await fetch(url, { method: "POST", headers, body: payload, redirect: "manual", signal })
    await response.body?.cancel()
    return response.status
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
