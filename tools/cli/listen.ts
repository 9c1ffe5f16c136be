// `listen`: prints events as they are committed, and forwards each, signed, to a receiver on this machine. Where it stands is
// kept on disk behind every event: whatever dies, here or there, nothing is lost and nothing comes out of order.
import { createHash, createHmac, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { callApi } from "../lib/api.ts"
import { UserError } from "../lib/project.ts"
import { allowOptions, type CommandLine, textOption } from "./arguments.ts"
import type { Platform } from "./platform.ts"
import { pause, untilAnswered } from "./retry.ts"
import { escaped, painter, printable, takesColour } from "./terminal.ts"

/** Seconds that the platform holds an answer back until there is something. */
const WAIT = 25

/** Milliseconds that the receiver may take. */
const PATIENCE = 30_000

interface Page {
  events: { id: string; payload: string }[]
  next_cursor: string
}

/** What is kept on disk of one way of listening. */
interface Kept {
  cursor: string | null
  /** What forwarded events are signed with; the same after a restart, so that the receiver need not be told again. */
  secret: string
}

/**
 * Listens until the process ends.
 * @throws UserError for options that cannot work; ApiRefusal when the platform refuses, as for a position that is no longer kept
 */
export async function listen({ options, json }: CommandLine, platform: Platform): Promise<never> {
  allowOptions(options, ["forward", "types", "store", "from"])
  const [forward, types, store, from] = ["forward", "types", "store", "from"].map((name) => textOption(options, name))
  if (forward !== undefined && !(URL.canParse(forward) && /^https?:$/.test(new URL(forward).protocol)))
    throw new UserError("--forward takes the receiver's URL, such as http://localhost:3000/hook.")
  const file = keptFile(platform.base, { forward, types, store })
  const kept = readKept(file)
  let after = from === undefined ? (kept.cursor ?? "now") : from === "start" ? undefined : from
  writeKept(file, kept)
  if (forward) console.error(`Forwarding to ${forward}, signed with ${kept.secret}`)
  const read = () =>
    callApi<Page>(platform.base, platform.operatorToken(), "POST", "/api/operator/v1/events:list", {
      ...(after !== undefined && { after }),
      ...(types !== undefined && { types }),
      ...(store !== undefined && { store }),
      limit: "50",
      // Answered at once, `now` becomes a cursor that is kept before anything happens.
      wait: String(after === "now" ? 0 : WAIT),
    })
  for (;;) {
    const { events, next_cursor } = await untilAnswered(read)
    for (const { id, payload } of events) {
      const status = forward === undefined ? null : await deliver(forward, kept.secret, id, payload)
      print(payload, status, json)
      after = id
      writeKept(file, { ...kept, cursor: id })
    }
    after = next_cursor
    writeKept(file, { ...kept, cursor: next_cursor })
  }
}

/**
 * Posts an event until the receiver takes it: the next one waits.
 * @returns the status of its answer
 */
async function deliver(url: string, secret: string, id: string, payload: string): Promise<number> {
  for (let failures = 0; ; failures++) {
    const told = await post(url, secret, id, payload)
    if (typeof told === "number" && told >= 200 && told < 300) return told
    if (failures === 0) console.error(`The receiver did not take ${id} (${told}). Trying again until it does.`)
    await pause(failures)
  }
}

async function post(url: string, secret: string, id: string, payload: string): Promise<number | string> {
  try {
    const headers = signedHeaders(secret, id, payload)
    const signal = AbortSignal.timeout(PATIENCE)
    const response = await fetch(url, { method: "POST", headers, body: payload, redirect: "manual", signal })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return cause?.code ?? message
  }
}

/** The headers of a webhook, with both of its signatures. */
function signedHeaders(secret: string, id: string, payload: string): Record<string, string> {
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

function print(payload: string, status: number | null, json: boolean): void {
  if (json) return void console.log(escaped(payload))
  const event = JSON.parse(payload)
  const paint = painter(takesColour(process.stdout))
  const about = event.data?.store?.id ?? event.data?.license?.license_code ?? ""
  const parts = [
    paint("dim", event.created_at),
    paint("bold", event.type),
    printable(String(about)),
    paint("dim", event.id),
  ]
  console.log([...parts, ...(status === null ? [] : [paint("green", String(status))])].filter(Boolean).join("  "))
}

/** One file for each way of listening: `$XDG_STATE_HOME/tenancy/listen/…`, else below `~/.local/state`. */
function keptFile(base: string, way: Record<string, string | undefined>): string {
  const name = createHash("sha256")
    .update(JSON.stringify([base, way]))
    .digest("hex")
    .slice(0, 16)
  return join(process.env.XDG_STATE_HOME || join(homedir(), ".local/state"), "tenancy/listen", `${name}.json`)
}

function readKept(file: string): Kept {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"))
  return { cursor: null, secret: `whsec_${randomBytes(30).toString("base64")}` }
}

function writeKept(file: string, kept: Kept): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
  renameSync(draft, file)
}
