// Measures the backup of a store with 50 MB of rows and 50 MB of files, its restore as a new store, and a second backup
// of the same store. Detects steps that buffer too much for an isolate. Requires Linux for /proc.
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { serveBundles } from "../tools/lib/serve.ts"
import { findFreePort } from "../tools/local/port.ts"
import { createFreshKey } from "../tools/seed/access.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { connectInspector, getResidentBytes, listWorkerdPids, withMemorySampling } from "./lib/memory.ts"
import { createReadyStore } from "./lib/ready-store.ts"
import type { Topic } from "./lib/topic.ts"

const MB = 1_000_000
const NAME = "platform"

const PAGES = 500
const PAGE_SIZE = 100_000
const FILES = 5
const FILE_SIZE = 10 * MB

/** Longer than any step should take. */
const MAX_SECONDS = 300

type Seeder = ReturnType<typeof createSeeder>

export const backups: Topic = async (stage) => {
  // Uses its own workerd, with clean memory and an inspector, which would slow down other topics.
  const earlier = listWorkerdPids()
  const inspectorPort = await findFreePort()
  const bundle = { name: NAME, config: "wrangler.toml", directory: join(stage.directory, "platform"), vars: stage.vars }
  const storage = join(stage.directory, "backup-state")
  const { urls, stop } = await serveBundles([bundle], readWranglerConfig().d1_databases, storage, inspectorPort)
  const [pid = 0] = listWorkerdPids().filter((known) => !earlier.includes(known))
  const base = urls[NAME] ?? ""
  const key = await createFreshKey(createSeeder(base, stage.operatorToken, ""), {
    name: "Backups",
    scopes: "read,write",
  })
  const seeder = createSeeder(base, stage.operatorToken, key)
  const store = await createReadyStore(seeder)
  await createContent(base, seeder, store)
  const inspector = await connectInspector(inspectorPort, NAME)
  const rows = [["", "seconds", "peak heap of the Worker, with garbage", "peak buffers"]]
  const measure = async (name: string, work: () => Promise<void>) => {
    const { peak, seconds } = await withMemorySampling(
      async () => ({ ...(await inspector.usage()), resident: getResidentBytes(pid) }),
      work,
    )
    rows.push([name, seconds.toFixed(1), ...[peak.heap, peak.buffers].map((bytes) => `${(bytes / MB).toFixed(1)} MB`)])
  }
  await measure("first backup of 100 MB", () => backUp(seeder, store))
  await measure("backup of the same store", () => backUp(seeder, store))
  await measure("restore as a new store", async () => {
    await seeder.operator("stores:restore", { store, to: "copy" })
    await waitUntilDone(seeder, "restores:list", "copy")
  })
  await measure("restore in place without differences", async () => {
    await seeder.operator("stores:restore", { store })
    await waitUntilDone(seeder, "restores:list", store)
  })
  inspector.close()
  await stop()
  return rows
}

async function createContent(base: string, seeder: Seeder, store: string): Promise<void> {
  for (let page = 0; page < PAGES; page++) {
    const content = randomBytes(PAGE_SIZE / 2).toString("hex")
    await seeder.operator("pages:save", { site: store, name: `Page ${page}`, slug: `page-${page}`, content })
  }
  const { token } = await seeder.operator<{ token: string }>("site-tokens:create", {
    site: store,
    name: "Benchmark",
    type: "internal",
  })
  for (let file = 0; file < FILES; file++) {
    const form = new FormData()
    form.set("file", new Blob([randomBytes(FILE_SIZE)]), `file-${file}.bin`)
    await upload(base, `${store}.localhost`, token, form)
  }
}

/** Uploads a file. `fetch` cannot set the host, and the machine may not resolve names below localhost. */
async function upload(base: string, host: string, token: string, form: FormData): Promise<void> {
  const encoded = new Response(form)
  const body = Buffer.from(await encoded.arrayBuffer())
  const headers = { Host: host, "X-API-KEY": token, "Content-Type": encoded.headers.get("Content-Type") ?? "" }
  const call = request(`${base}/api/v1/media/files`, { method: "POST", headers })
  call.end(body)
  const [response] = (await once(call, "response")) as [IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  if (response.statusCode !== 201) throw new Error(`The upload answered ${response.statusCode} ${text}`)
}

async function backUp(seeder: Seeder, store: string): Promise<void> {
  await seeder.operator("stores:export", { store })
  await waitUntilDone(seeder, "backups:list", store)
}

async function waitUntilDone(seeder: Seeder, command: string, store: string): Promise<void> {
  for (let attempts = 0; attempts < MAX_SECONDS * 10; attempts++) {
    const [latest] = await seeder.operator<{ state: string; error: string | null }[]>(command, { store })
    if (latest?.state === "done") return
    if (latest?.error) throw new Error(latest.error)
    await sleep(100)
  }
  throw new Error(`${command} was not done after ${MAX_SECONDS} seconds.`)
}
