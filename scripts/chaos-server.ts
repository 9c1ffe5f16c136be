// npm run chaos:server: the whole of `npm start` is killed at random while it is written to, again and again; then it is held to what it said.
//
//   npm run chaos:server [-- --events=10000] [--seed=1]
//
// Ten thousand events are a night's run; `npm run verify` makes a hundred or so. It works on loopback and on data of its own.
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { check, settle } from "../tools/chaos/check.ts"
import { type Deed, makeWorld, write } from "../tools/chaos/load.ts"
import { startReceiver } from "../tools/chaos/receiver.ts"
import { Server } from "../tools/chaos/server.ts"
import { UserError } from "../tools/lib/project.ts"
import { scratchDirectory } from "../tools/local/scratch.ts"

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000" },
    seed: { type: "string" },
    stores: { type: "string", default: "3" },
  },
})
const EVENTS = Number(values.events)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
/** Writes on their way at a time. */
const LANES = 8
/** Writes that are begun between two kills: few enough to meet every line of one, many enough to come on. */
const FEWEST = 2
const MOST = 60

const VARS = {
  TENANCY_API_RATE_LIMIT: "1000000",
  TENANCY_API_RATE_LIMIT_PER_IP: "0",
  TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true",
}

console.log(`seed ${seed}`)
// Whoever ends this ends the platform, too, which is a process group of its own.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    await server.kill()
    process.exit(1)
  })
}
const random = seeded(seed)
const directory = mkdtempSync(join(scratchDirectory(), "chaos-"))
const receiver = await startReceiver(directory)
const server = await Server.prepare(join(directory, "state"), { NODE_EXTRA_CA_CERTS: receiver.certificate })
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
  await server.start(VARS)
  const world = await makeWorld(server, Number(values.stores))
  const steady = receiver.open("/steady", () => 204)
  // An endpoint is switched off after 25 failures in a row: often enough it answers well.
  const flaky = receiver.open("/flaky", () => (random() < 0.3 ? 503 : 200))
  const endpoints = []
  for (const { url, inbox } of [steady, flaky]) {
    const { status, body } = await server.ask("/api/platform/v1/webhooks", {
      method: "POST",
      headers: { Authorization: `Bearer ${world.key}` },
      json: { url, events: ["*"] },
    })
    if (status !== 201) throw new Error(`the endpoint was answered ${status} ${JSON.stringify(body)}`)
    inbox.secret = body.secret
    endpoints.push({ id: body.data.id as number, inbox, isSteady: inbox === steady.inbox })
  }

  const deeds: Deed[] = []
  const faults: string[] = []
  let up = Promise.resolve()
  const isEnough = () => deeds.length >= EVENTS
  const lanes = Array.from({ length: LANES }, () =>
    write(server, world, { until: isEnough, random, deeds, faults, whenUp: () => up }),
  )
  let kills = 0
  const killing = (async () => {
    while (!isEnough()) {
      const at = deeds.length + FEWEST + random() * (MOST - FEWEST)
      while (deeds.length < at && !isEnough()) await sleep(1)
      // Somewhere within what is under way by now.
      await sleep(random() * 30)
      kills += 1
      up = server.kill().then(() => server.start(VARS))
      await up
      console.log(`${deeds.length} writes, ${kills} kills`)
    }
  })()
  await Promise.all([...lanes, killing])
  await up
  const steadyId = endpoints.find(({ isSteady }) => isSteady)?.id ?? 0
  await settle(server, world.key, steadyId)
  faults.push(...(await check(server, world, deeds, endpoints)))

  // A checker that finds nothing where something is missing would find nothing at all.
  const untrue: Deed = { kind: "rename", store: world.stores[0] ?? "", name: "nobody said this", done: true }
  const blind = await check(server, world, [...deeds, untrue], [])
  if (!blind.some((fault) => fault.includes(untrue.name))) faults.push("the checker does not see a lost event")

  const count = (done: Deed["done"]) => deeds.filter((deed) => deed.done === done).length
  const twice = [...steady.inbox.seen.values()].filter((times) => times > 1).length
  console.log(
    `${deeds.length} writes and ${kills} kills: ${count(true)} done, ${count("unknown")} without an answer; ` +
      `${steady.inbox.seen.size} events received, ${twice} of them more than once, as "at least once" allows`,
  )
  for (const fault of faults.slice(0, 30)) console.error(`  ${fault}`)
  console.log(faults.length ? `${faults.length} findings` : "nothing lost, made up, doubled or half done")
  return faults.length ? 1 : 0
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function seeded(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
