// npm run chaos:server: kills `npm start` repeatedly at random while writes are in flight, then verifies its
// consistency.
//
//   npm run chaos:server [-- --events=10000] [--kills=100] [--faults=0.01] [--delivery-databases=4] [--seed=1]
//
// The default takes about half an hour; `npm run verify` uses fewer events. It runs on loopback with its own data.
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type ChaosEndpoint, findInconsistencies, waitUntilSettled } from "../tools/chaos/check.ts"
import { createFixtures, runWrites, type Write } from "../tools/chaos/load.ts"
import { startReceiver } from "../tools/chaos/receiver.ts"
import { Server } from "../tools/chaos/server.ts"
import { UserError } from "../tools/lib/project.ts"
import { seededRandom } from "../tools/lib/random.ts"
import { parseScriptOptions } from "../tools/lib/script-options.ts"
import { DELIVERY_DATABASES } from "../tools/local/delivery-databases.ts"
import { getScratchDirectory } from "../tools/local/scratch.ts"

const options = parseScriptOptions(import.meta.url, {
  "delivery-databases": 0,
  events: 10_000,
  faults: 0,
  kills: 100,
  seed: null,
  stores: 3,
})
const EVENT_COUNT = options.events
/** The share of calls to databases and other services that fail. */
const FAULT_RATE = options.faults
/** Delivery databases next to the central one. */
const DELIVERY_DATABASE_COUNT = options["delivery-databases"]
const START_OPTIONS = DELIVERY_DATABASE_COUNT ? [`${DELIVERY_DATABASES}${DELIVERY_DATABASE_COUNT}`] : []
const seed = options.seed ?? Date.now() % 2 ** 31
/** Concurrent writes. */
const CONCURRENCY = 8
/**
 * The random number of writes between two kills: low counts interrupt writes early, high counts let the run progress.
 */
const MIN_WRITES_BETWEEN_KILLS = 2
const MAX_WRITES_BETWEEN_KILLS = Math.max(MIN_WRITES_BETWEEN_KILLS, (2 * EVENT_COUNT) / options.kills)

const SETTINGS = {
  TENANCY_API_RATE_LIMIT: "1000000",
  TENANCY_API_RATE_LIMIT_PER_IP: "0",
  TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true",
}

console.log(`seed ${seed}`)
// The platform runs in its own process group, so signals do not reach it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    await server.kill()
    process.exit(1)
  })
}
const random = seededRandom(seed)
const directory = mkdtempSync(join(getScratchDirectory(), "chaos-"))
const receiver = await startReceiver(directory)
const server = await Server.create(join(directory, "state"), { NODE_EXTRA_CA_CERTS: receiver.certificate })
let status = 1
try {
  status = await run()
} catch (cause) {
  console.error(cause instanceof UserError ? cause.message : cause)
  console.error(server.log.split("\n").slice(-20).join("\n"))
} finally {
  await server.kill()
  receiver.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(status)

async function run(): Promise<number> {
  await server.start(SETTINGS, FAULT_RATE, START_OPTIONS)
  const fixtures = await createFixtures(server, options.stores)
  const endpoints: ChaosEndpoint[] = []
  // One for each database, and one more that shares a database with another.
  for (let number = 0; number < Math.max(4, DELIVERY_DATABASE_COUNT + 1); number++) {
    const isSteady = number % 2 === 0
    // An endpoint is disabled after 25 consecutive failures, so most requests to a flaky one succeed.
    const getStatus = isSteady ? () => 204 : () => (random() < 0.3 ? 503 : 200)
    // The first two, one of them flaky, are ordered and limited.
    const [ordered, rate] = number < 2 ? [true, 50] : [false, null]
    const { url, inbox } = receiver.open(`/${isSteady ? "steady" : "flaky"}-${number}`, getStatus)
    const { status, body } = await server.request("/api/platform/v1/webhooks", {
      method: "POST",
      headers: { Authorization: `Bearer ${fixtures.key}` },
      json: { url, events: ["*", "shop.*"], ordered, max_per_second: rate },
    })
    if (status !== 201) throw new Error(`creating the endpoint returned ${status} ${JSON.stringify(body)}`)
    inbox.secret = body.secret
    endpoints.push({ id: body.data.id, ordered, rate, inbox, isSteady })
  }

  const writes: Write[] = []
  const problems: string[] = []
  let restarted = Promise.resolve()
  const isDone = () => writes.length >= EVENT_COUNT
  const workers = Array.from({ length: CONCURRENCY }, () =>
    runWrites(server, fixtures, { until: isDone, random, writes, problems, waitUntilUp: () => restarted }),
  )
  let kills = 0
  const killer = (async () => {
    while (!isDone()) {
      const at =
        writes.length + MIN_WRITES_BETWEEN_KILLS + random() * (MAX_WRITES_BETWEEN_KILLS - MIN_WRITES_BETWEEN_KILLS)
      while (writes.length < at && !isDone()) await sleep(1)
      // Somewhere within the writes in flight.
      await sleep(random() * 30)
      kills += 1
      restarted = server.kill().then(() => server.start(SETTINGS, FAULT_RATE, START_OPTIONS))
      await restarted
      console.log(`${writes.length} writes, ${kills} kills`)
    }
  })()
  await Promise.all([...workers, killer])
  await restarted
  const steady = endpoints.filter(({ isSteady }) => isSteady)
  await waitUntilSettled(
    server,
    fixtures.key,
    steady.map(({ id }) => id),
  )
  problems.push(...(await findInconsistencies(server, fixtures, writes, endpoints)))

  // Proves that the checker detects a lost event, and events in the wrong order.
  const forgedWrite: Write = { kind: "rename", store: fixtures.stores[0] ?? "", name: "forged write", done: true }
  const reversed = steady.map(({ inbox, ...endpoint }) => {
    const receivedCounts = new Map([...inbox.receivedCounts].reverse())
    return { ...endpoint, inbox: { ...inbox, receivedCounts } }
  })
  const forgedProblems = await findInconsistencies(server, fixtures, [...writes, forgedWrite], reversed)
  if (!forgedProblems.some((problem) => problem.includes(forgedWrite.name)))
    problems.push("the checker does not detect a lost event")
  if (!forgedProblems.some((problem) => problem.includes("arrived late")))
    problems.push("the checker does not detect a wrong order")

  const count = (done: Write["done"]) => writes.filter((write) => write.done === done).length
  const received = steady.flatMap(({ inbox }) => [...inbox.receivedCounts.values()])
  const twice = received.filter((times) => times > 1).length
  console.log(
    `${writes.length} writes and ${kills} kills: ${count(true)} done, ${count("unknown")} without a response; ` +
      `${received.length} events received by steady endpoints, ${twice} of them more than once, as "at least once" allows`,
  )
  for (const problem of problems.slice(0, 30)) console.error(`  ${problem}`)
  console.log(
    problems.length ? `${problems.length} problems` : "no lost, forged, duplicate, partial or disordered writes",
  )
  return problems.length ? 1 : 0
}
