// npm run chaos: a thousand events are made, followed by `listen` and forwarded to a receiver, while the Worker, the listener and the
// receiver are killed in turn, at random moments. Every event must arrive, in the order of its commit, and signed.
//
//   npm run chaos [-- --events=1000] [--kills=10] [--seed=1]
//
// It has a platform of its own, on ports and in a directory of its own. The seed is printed; with the same seed the kills come in the
// same order.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { verifyWebhook } from "../src/client/index.ts"
import { progressBar } from "../tools/cli/progress.ts"
import { root, secretsFile, wranglerConfig } from "../tools/lib/project.ts"
import { ensureSecrets } from "../tools/local/dev-vars.ts"
import { migrateLocally } from "../tools/local/migrations.ts"
import { freePort } from "../tools/local/port.ts"
import { scratchDirectory } from "../tools/local/scratch.ts"
import { type LocalWorker, startWorker } from "../tools/local/worker.ts"
import { stopAllWranglers } from "../tools/local/wrangler.ts"

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000" },
    kills: { type: "string", default: "10" },
    seed: { type: "string" },
  },
})
const EVENTS = Number(values.events)
/** Of each of the three. */
const KILLS = Number(values.kills)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)

/** Milliseconds that one request of ours may take, and after which nothing new counts as standing still. */
const PATIENCE = 5_000
const STANDSTILL = 90_000

const VICTIMS = ["worker", "listener", "receiver"] as const

const directory = mkdtempSync(join(scratchDirectory(), "tenancy-chaos-"))
const arrivals = join(directory, "arrivals.jsonl")
const secrets = ensureSecrets(secretsFile)
const operatorToken = secrets.OPERATOR_TOKEN ?? ""
const [port, receiverPort] = [await freePort(), await freePort()]
const base = `http://localhost:${port}`

let worker: LocalWorker
let listener: ChildProcess | undefined
let receiver: ChildProcess | undefined
let told = ""

/** @returns whether all arrived as they should */
async function run(): Promise<boolean> {
  await migrateLocally(wranglerConfig().d1_databases, join(directory, "state"))
  await startPlatform()
  const { key } = await operator<{ key: string }>("keys:create", { name: "chaos", scopes: "read,write" })
  const api = (method: string, path: string, body: object) =>
    fetch(`${base}/api/platform/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    })
  const made = await api("POST", "/stores", {
    subdomain: "chaos",
    name: "Chaos",
    owner_email: "owner@example.com",
    password: "correct-horse",
  })
  if (made.status !== 202) throw new Error(`The store could not be made: ${await made.text()}`)
  startReceiver()
  startListener(["--from=start"])

  const started = Date.now()
  // A name that is there already is no change, so that what was made in the moment of a kill is not made again.
  const writing = write((place) => api("PATCH", "/stores/chaos", { name: nameOf(place) }))
  await killOnTheWay()
  await writing
  await until(() => arrived().size >= EVENTS)
  return await judge(Date.now() - started)
}

const nameOf = (place: number): string => `Event ${place}`

/** Makes the events, one after the other, each until it is made. */
async function write(rename: (place: number) => Promise<Response>): Promise<void> {
  for (let place = 0; place < EVENTS; place++) {
    for (;;) {
      const response = await rename(place).catch(() => null)
      if (response?.status === 200) break
      if (response && response.status < 500 && response.status !== 409) throw new Error(await response.text())
      await sleep(100)
    }
  }
}

/** Kills one after the other at random places of the stream, and starts it again. */
async function killOnTheWay(): Promise<void> {
  const random = randomOf(seed)
  const victims = shuffled(
    Array.from({ length: KILLS * VICTIMS.length }, (_, at) => VICTIMS[at % 3] ?? "worker"),
    random,
  )
  const places = victims.map(() => Math.floor(random() * EVENTS * 0.95)).sort((a, b) => a - b)
  const bar = progressBar("events", EVENTS)
  for (const [index, victim] of victims.entries()) {
    await until(() => {
      const { size } = arrived()
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
    worker.kill()
    await worker.exited
    await startPlatform()
    return
  }
  const child = victim === "listener" ? listener : receiver
  if (child?.kill("SIGKILL")) await once(child, "exit")
  if (victim === "listener") startListener([])
  else startReceiver()
}

async function startPlatform(): Promise<void> {
  worker = startWorker({
    port,
    stateDirectory: join(directory, "state"),
    vars: {
      CENTRAL_DOMAIN: "localhost",
      PUBLIC_URL: `http://{host}:${port}`,
      TENANCY_API_RATE_LIMIT: "1000000000",
      TENANCY_API_RATE_LIMIT_PER_IP: "0",
    },
    args: [],
    onLine: () => undefined,
  })
  await worker.healthy()
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
    told += chunk
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

/** All that the receiver took, in its order. A line that is half written was not answered, so it comes again. */
const taken = (): string[] => (existsSync(arrivals) ? readFileSync(arrivals, "utf8").split("\n").slice(0, -1) : [])

const arrived = (): Set<string> => new Set(taken().map((line) => nameIn(line)))

const nameIn = (line: string): string => JSON.parse(JSON.parse(line).body).data.store.name

/** Waits for something to be so. */
async function until(isSo: () => boolean): Promise<void> {
  let size = arrived().size
  for (let since = Date.now(); !isSo(); await sleep(20)) {
    const now = arrived().size
    if (now !== size) [size, since] = [now, Date.now()]
    else if (Date.now() - since > STANDSTILL)
      throw new Error(`Nothing arrives any more behind ${size} events.\n${told}`)
  }
}

/** Holds what arrived to what was made. */
async function judge(ms: number): Promise<boolean> {
  const lines = taken()
  const firsts = [...new Set(lines.map((line) => nameIn(line)))]
  const expected = Array.from({ length: EVENTS }, (_, place) => nameOf(place))
  const isInOrder = firsts.length === EVENTS && firsts.every((name, place) => name === expected[place])
  const keys = [...new Set([...told.matchAll(/signed with (\S+)/g)].map(([, secret]) => secret as string))]
  for (const line of lines) {
    const { headers, body } = JSON.parse(line) as Arrival
    await verifyWebhook({ headers, body }, keys, { tolerance: 86_400 })
  }
  const twice = lines.length - firsts.length
  // An event comes twice where its answer was lost, or its place was not written down yet.
  const isRare = twice <= 2 * KILLS
  console.log(
    `${EVENTS} events made, ${firsts.length} arrived ${isInOrder ? "in their order" : "OUT OF ORDER"}, ${twice} twice, ` +
      `all signed; ${KILLS} kills each of ${VICTIMS.join(", ")}; ${Math.round(ms / 1000)} s`,
  )
  return isInOrder && isRare && keys.length === 1
}

function shuffled<Item>(items: Item[], random: () => number): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

console.log(`seed ${seed}`)
let failed = true
try {
  failed = !(await run())
} finally {
  listener?.kill("SIGKILL")
  receiver?.kill("SIGKILL")
  await stopAllWranglers()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
