// What an upload and a download of 95 MB cost in memory: in the Worker's own isolate, as its inspector tells, and in all of
// workerd, where the simulated bucket takes most. A Worker that held the file would show it. Needs Linux, for /proc.
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "../scripts/lib/port.ts"
import { wranglerConfig } from "../scripts/lib/project.ts"
import { createSeeder } from "../scripts/seed/seeder.ts"
import { serve } from "./lib/serve.ts"
import type { Topic } from "./lib/topic.ts"

const MB = 1_000_000
const NAME = "platform"

/** The largest upload that the settings allow, and a small one, which warms everything up. */
const SIZES = { small: MB, large: 95 * MB }

/** The file is this block again and again, so that the client holds no more of it than that. */
const BLOCK = randomBytes(MB)

interface Uploaded {
  id: number
  url: string
  size: number
}

export const media: Topic = async (stage) => {
  // In a workerd of its own, which no other topic has filled, with an inspector, which would slow the others down.
  const earlier = workerds()
  const inspectorPort = await freePort()
  const bundle = { name: NAME, config: "wrangler.toml", directory: join(stage.directory, "platform"), vars: stage.vars }
  const storage = join(stage.directory, "media-state")
  const { urls, stop } = await serve([bundle], wranglerConfig().d1_databases, storage, inspectorPort)
  const [pid = 0] = workerds().filter((known) => !earlier.includes(known))
  const base = urls[NAME] ?? ""
  const inspector = await inspect(inspectorPort)
  const key = await mediaKey(base, stage.operatorToken)
  await roundTrip(base, key, SIZES.small, async (_, work) => work())
  const rows = [["", "", "before", "peak", "raised by"]]
  await roundTrip(base, key, SIZES.large, async (name, work) => {
    const { before, peak, seconds } = await watched(
      async () => ({ ...(await inspector.usage()), resident: resident(pid) }),
      work,
    )
    const row = (what: string, of: (memory: Memory) => number) => [
      what,
      ...[of(before), of(peak), of(peak) - of(before)].map((bytes) => `${(bytes / MB).toFixed(1)} MB`),
    ]
    rows.push([name, ...row("the Worker's heap", ({ heap }) => heap)])
    rows.push(["", ...row("its buffers outside the heap", ({ buffers }) => buffers)])
    rows.push([
      `${(SIZES.large / MB / seconds).toFixed(0)} MB/s`,
      ...row("workerd, with the bucket", (m) => m.resident),
    ])
  })
  inspector.close()
  await stop()
  return rows
}

type Measure = (name: string, work: () => Promise<void>) => Promise<void>

/** Uploads a file, downloads it, compares what came back, and deletes it. */
async function roundTrip(base: string, key: string, size: number, measure: Measure): Promise<void> {
  let file: Uploaded | undefined
  await measure(`upload of ${size / MB} MB`, async () => {
    file = JSON.parse((await send(`${base}/api/v1/media/files`, key, size)).toString())
  })
  if (file?.size !== size) throw new Error(`${file?.size} bytes of ${size} were stored`)
  const address = base + new URL(file.url).pathname
  let received = ""
  await measure(`download of ${size / MB} MB`, async () => {
    received = await digestOf(address)
  })
  if (received !== expected(size)) throw new Error("The file came back changed")
  await fetch(`${base}/api/v1/media/files/${file.id}`, { method: "DELETE", headers: { "X-API-KEY": key } })
}

/** An internal server token of the central site. */
async function mediaKey(base: string, operatorToken: string): Promise<string> {
  const seeder = createSeeder(base, operatorToken, "")
  return (await seeder.operator<{ token: string }>("site-tokens:create", { name: "Benchmark", type: "internal" })).token
}

/** Sends a form with a file of `size` bytes, block by block, and answers the body of the answer. */
function send(url: string, key: string, size: number): Promise<Buffer> {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
  const tail = "\r\n--b--\r\n"
  const headers = {
    "X-API-KEY": key,
    "Content-Type": "multipart/form-data; boundary=b",
    "Content-Length": head.length + size + tail.length,
  }
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", headers }, async (response) => {
      const body = Buffer.concat(await response.toArray())
      if (response.statusCode === 201) resolve(body)
      else reject(new Error(`The upload answered ${response.statusCode} ${body}`))
    })
    call.once("error", reject)
    call.write(head)
    let left = size
    const write = () => {
      while (left > 0) {
        const block = BLOCK.subarray(0, left)
        left -= block.length
        if (!call.write(block)) return void call.once("drain", write)
      }
      call.end(tail)
    }
    write()
  })
}

async function digestOf(url: string): Promise<string> {
  const hash = createHash("sha256")
  const { body } = await fetch(url)
  if (body) for await (const chunk of body) hash.update(chunk)
  return hash.digest("hex")
}

function expected(size: number): string {
  const hash = createHash("sha256")
  for (let left = size; left > 0; left -= BLOCK.length) hash.update(BLOCK.subarray(0, left))
  return hash.digest("hex")
}

/** Bytes. */
interface Memory {
  /** JavaScript objects of the Worker, garbage that was not collected yet included. */
  heap: number
  /** Array buffers of the Worker. */
  buffers: number
  /** The resident set of workerd. */
  resident: number
}

/** Runs work while memory is watched. */
async function watched(look: () => Promise<Memory>, work: () => Promise<void>) {
  const before = await look()
  const peak = { ...before }
  let running = true
  const watch = (async () => {
    for (; running; await sleep(5)) {
      const now = await look()
      for (const part of ["heap", "buffers", "resident"] as const) peak[part] = Math.max(peak[part], now[part])
    }
  })()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  running = false
  await watch
  return { before, peak, seconds }
}

interface HeapUsage {
  usedSize: number
  backingStorageSize: number
}

/** Connects to the Worker's isolate as a debugger does, to ask for its memory. */
async function inspect(port: number) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.includes(NAME)) ?? targets[0]
  if (!target) throw new Error("There is no inspector.")
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const waiting = new Map<number, (usage: HeapUsage) => void>()
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: HeapUsage }
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  await once(socket, "open")
  let id = 0
  return {
    usage: async () => {
      const { usedSize, backingStorageSize } = await new Promise<HeapUsage>((resolve) => {
        id += 1
        waiting.set(id, resolve)
        socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }))
      })
      return { heap: usedSize, buffers: backingStorageSize }
    },
    close: () => socket.close(),
  }
}

const resident = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

/** The ids of the workerds that this process started. */
function workerds(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ")
  return children.filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "workerd").map(Number)
}
