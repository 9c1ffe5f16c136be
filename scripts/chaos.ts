// npm run chaos: forwards a thousand events through `listen` to a receiver, while the Worker, the listener and the
// receiver are killed at random times. Every event must arrive signed and in commit order. An endpoint with `reconcile`
// gets the same events; halfway, its receiver is restored from a backup of an hour ago, and must have all events again
// at the end.
//
//   npm run chaos [-- --events=1000] [--kills=10] [--seed=1]
//
// It runs its own platform on free ports with its own data. The same seed repeats the same order of kills.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { verifyWebhook } from "../src/client/index.ts"
import { startReceiver as startHttpsReceiver } from "../tools/chaos/receiver.ts"
import { openRestoredReceiver } from "../tools/chaos/restored-receiver.ts"
import { createProgressBar } from "../tools/cli/progress.ts"
import { readWranglerConfig, root, secretsFile } from "../tools/lib/project.ts"
import { seededRandom } from "../tools/lib/random.ts"
import { parseScriptOptions } from "../tools/lib/script-options.ts"
import { ensureSecrets } from "../tools/local/dev-vars.ts"
import { applyLocalMigrations } from "../tools/local/migrations.ts"
import { findFreePort } from "../tools/local/port.ts"
import { getScratchDirectory } from "../tools/local/scratch.ts"
import { type LocalWorker, startWorker } from "../tools/local/worker.ts"
import { stopAllWranglers } from "../tools/local/wrangler.ts"

const options = parseScriptOptions(import.meta.url, { events: 1_000, kills: 10, seed: null })
const EVENT_COUNT = options.events
const KILLS_PER_VICTIM = options.kills
const seed = options.seed ?? Date.now() % 2 ** 31

const REQUEST_TIMEOUT_MS = 5_000
const STALL_TIMEOUT_MS = 90_000

/** Time without progress of a recovery; longer than the lease of a killed job. */
const RECONCILE_TIMEOUT_MS = 360_000

const VICTIMS = ["worker", "listener", "receiver"] as const

const directory = mkdtempSync(join(getScratchDirectory(), "tenancy-chaos-"))
const arrivals = join(directory, "arrivals.jsonl")
const stateDirectory = join(directory, "state")
const secrets = ensureSecrets(secretsFile)
const operatorToken = secrets.OPERATOR_TOKEN ?? ""
const [port, receiverPort] = [await findFreePort(), await findFreePort()]
const base = `http://localhost:${port}`
const httpsReceiver = await startHttpsReceiver(directory)
const restored = openRestoredReceiver(httpsReceiver)
// The Worker trusts the receiver's certificate.
process.env.NODE_EXTRA_CA_CERTS = httpsReceiver.certificate

let worker: LocalWorker
let listener: ChildProcess | undefined
let receiver: ChildProcess | undefined
let listenerOutput = ""

/** @returns whether all events arrived in order */
async function run(): Promise<boolean> {
  await applyLocalMigrations(readWranglerConfig().d1_databases, stateDirectory)
  await startPlatform()
  const { key } = await operator<{ key: string }>("keys:create", { name: "chaos", scopes: "read,write" })
  const api = (method: string, path: string, body: object) =>
    fetch(`${base}/api/platform/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
  const created = await api("POST", "/stores", {
    subdomain: "chaos",
    name: "Chaos",
    owner_email: "owner@example.com",
    password: "correct-horse",
  })
  if (created.status !== 202) throw new Error(`Could not create the store: ${await created.text()}`)
  await createEndpoint(api)
  startReceiver()
  startListener(["--from=start"])

  const started = Date.now()
  // Setting the current name again is not a change, so a retry after a kill creates no second event.
  const writing = write((place) => api("PATCH", "/stores/chaos", { name: eventName(place) }))
  await killVictims()
  await writing
  await waitUntil(() => listArrivedNames().size >= EVENT_COUNT)
  const areForwarded = await verifyArrivals(Date.now() - started)
  if (!restored.lostCount()) await restartWorker(() => restored.restoreBackup(stateDirectory))
  // The receiver may have been restored after its last event. Its response to one more reports what it has.
  await retryUntilOk(() => api("PATCH", "/stores/chaos", { name: eventName(EVENT_COUNT) }))
  return (await verifyRestored(key)) && areForwarded
}

/** Creates the endpoint whose receiver is restored from a backup. */
async function createEndpoint(api: (method: string, path: string, body: object) => Promise<Response>): Promise<void> {
  const { url, inbox } = restored
  const response = await api("POST", "/webhooks", { url, events: ["store.updated"], reconcile: true })
  if (response.status !== 201) throw new Error(`Could not create the endpoint: ${await response.text()}`)
  inbox.secret = ((await response.json()) as { secret: string }).secret
}

const eventName = (place: number): string => `Event ${place}`

/** Creates the events one by one, retrying each until it succeeds. */
async function write(rename: (place: number) => Promise<Response>): Promise<void> {
  for (let place = 0; place < EVENT_COUNT; place++) await retryUntilOk(() => rename(place))
}

async function retryUntilOk(send: () => Promise<Response>): Promise<void> {
  for (;;) {
    const response = await send().catch(() => null)
    if (response?.status === 200) return
    if (response && response.status < 500 && response.status !== 409) throw new Error(await response.text())
    await sleep(100)
  }
}

/** Kills and restarts the victims at random positions of the stream. */
async function killVictims(): Promise<void> {
  const random = seededRandom(seed)
  const victims = shuffle(
    Array.from({ length: KILLS_PER_VICTIM * VICTIMS.length }, (_, at) => VICTIMS[at % 3] ?? "worker"),
    random,
  )
  const places = victims.map(() => Math.floor(random() * EVENT_COUNT * 0.95)).sort((a, b) => a - b)
  const bar = createProgressBar("events", EVENT_COUNT)
  for (const [index, victim] of victims.entries()) {
    await waitUntil(() => {
      const { size } = listArrivedNames()
      bar.show(size, `${index} kills`)
      return size >= (places[index] ?? 0)
    })
    await sleep(random() * 100)
    await kill(victim)
  }
  bar.end()
}

async function kill(victim: (typeof VICTIMS)[number]): Promise<void> {
  if (victim === "worker") {
    const isHalfway = !restored.lostCount() && restored.inbox.receivedCounts.size > EVENT_COUNT / 3
    return restartWorker(() => isHalfway && restored.restoreBackup(stateDirectory))
  }
  const child = victim === "listener" ? listener : receiver
  if (child?.kill("SIGKILL")) await once(child, "exit")
  if (victim === "listener") startListener([])
  else startReceiver()
}

/** @param whileStopped runs after the Worker was killed */
async function restartWorker(whileStopped: () => unknown): Promise<void> {
  worker.kill()
  await worker.exited
  whileStopped()
  await startPlatform()
}

async function startPlatform(): Promise<void> {
  worker = startWorker({
    port,
    stateDirectory,
    vars: {
      CENTRAL_DOMAIN: "localhost",
      PUBLIC_URL: `http://{host}:${port}`,
      TENANCY_API_RATE_LIMIT: "1000000000",
      TENANCY_API_RATE_LIMIT_PER_IP: "0",
      TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true",
    },
    args: [],
    onLine: () => undefined,
  })
  await worker.waitUntilHealthy()
}

function startReceiver(): void {
  const script = join(root, "tools/chaos/killable-receiver.ts")
  receiver = spawn(process.execPath, [script, String(receiverPort), arrivals], { stdio: "ignore" })
}

function startListener(options: string[]): void {
  const forward = `--forward=http://127.0.0.1:${receiverPort}/hook`
  const args = [join(root, "scripts/operator.ts"), "listen", forward, "--types=store.updated", ...options]
  const env = { ...process.env, XDG_STATE_HOME: directory, TENANCY_URL: base, OPERATOR_TOKEN: operatorToken }
  listener = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] })
  listener.stderr?.on("data", (chunk) => {
    listenerOutput += chunk
  })
}

async function operator<Data>(command: string, options: object): Promise<Data> {
  const response = await fetch(`${base}/api/operator/v1/${command}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${operatorToken}`, "Content-Type": "application/json" },
    body: JSON.stringify(options),
  })
  if (!response.ok) throw new Error(`${command}: ${await response.text()}`)
  return ((await response.json()) as { data: Data }).data
}

interface Arrival {
  headers: Record<string, string>
  body: string
}

/** Reads the received requests in order. A partial line was not acknowledged, so its event is sent again. */
const readArrivals = (): string[] =>
  existsSync(arrivals) ? readFileSync(arrivals, "utf8").split("\n").slice(0, -1) : []

const listArrivedNames = (): Set<string> => new Set(readArrivals().map((line) => parseName(line)))

const parseName = (line: string): string => JSON.parse(JSON.parse(line).body).data.store.name

/** Waits for a condition, as long as events keep arriving. */
async function waitUntil(isTrue: () => boolean): Promise<void> {
  let size = listArrivedNames().size
  for (let since = Date.now(); !isTrue(); await sleep(20)) {
    const now = listArrivedNames().size
    if (now !== size) [size, since] = [now, Date.now()]
    else if (Date.now() - since > STALL_TIMEOUT_MS)
      throw new Error(`No more events arrive after ${size}.\n${listenerOutput}`)
  }
}

/** Compares the received events with the created ones. */
async function verifyArrivals(ms: number): Promise<boolean> {
  const lines = readArrivals()
  const uniqueNames = [...new Set(lines.map((line) => parseName(line)))]
  const expected = Array.from({ length: EVENT_COUNT }, (_, place) => eventName(place))
  const isInOrder = uniqueNames.length === EVENT_COUNT && uniqueNames.every((name, place) => name === expected[place])
  const keys = [...new Set([...listenerOutput.matchAll(/signed with (\S+)/g)].map(([, secret]) => secret as string))]
  for (const line of lines) {
    const { headers, body } = JSON.parse(line) as Arrival
    await verifyWebhook({ headers, body }, keys, { tolerance: 86_400 })
  }
  const duplicates = lines.length - uniqueNames.length
  // An event is repeated when its response was lost, or its position was not saved yet.
  const isRare = duplicates <= 2 * KILLS_PER_VICTIM
  console.log(
    `${EVENT_COUNT} events created, ${uniqueNames.length} arrived ${isInOrder ? "in order" : "OUT OF ORDER"}, ${duplicates} twice, ` +
      `all signed; ${KILLS_PER_VICTIM} kills each of ${VICTIMS.join(", ")}; ${Math.round(ms / 1000)} s`,
  )
  return isInOrder && isRare && keys.length === 1
}

/** Waits until the restored receiver has every event again. The cron repeats what the kills interrupted. */
async function verifyRestored(key: string): Promise<boolean> {
  const { inbox, lostCount } = restored
  const expected = await listEventIds(key)
  const countMissing = () => expected.filter((id) => !inbox.receivedCounts.has(id)).length
  let missing = countMissing()
  for (let since = Date.now(); missing > 0 && Date.now() - since < RECONCILE_TIMEOUT_MS; await sleep(1_000)) {
    await fetch(
      `${base}/cdn-cgi/local/scheduled?${new URLSearchParams({ cron: "* * * * *", time: String(Date.now()) })}`,
    )
    const now = countMissing()
    if (now < missing) since = Date.now()
    missing = now
  }
  console.log(
    `a receiver restored to an hour ago lost ${lostCount()} of ${expected.length} events, ` +
      `${missing === 0 ? "and has all of them again" : `and LACKS ${missing}`}`,
  )
  for (const error of inbox.errors.slice(0, 5)) console.error(error)
  return missing === 0 && lostCount() > 0 && inbox.errors.length === 0
}

/** Lists the ids of the events that the endpoint subscribes to. */
async function listEventIds(key: string): Promise<string[]> {
  const ids: string[] = []
  for (let after = ""; ; ) {
    const query = new URLSearchParams({ types: "store.updated", limit: "100", ...(after && { after }) })
    const response = await fetch(`${base}/api/platform/v1/events?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    const { data, meta } = (await response.json()) as {
      data: { id: string }[]
      meta: { next_cursor: string; has_more: boolean }
    }
    ids.push(...data.map(({ id }) => id))
    if (!meta.has_more) return ids
    after = meta.next_cursor
  }
}

function shuffle<Item>(items: Item[], random: () => number): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}

console.log(`seed ${seed}`)
let failed = true
try {
  failed = !(await run())
} finally {
  listener?.kill("SIGKILL")
  receiver?.kill("SIGKILL")
  httpsReceiver.close()
  await stopAllWranglers()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
