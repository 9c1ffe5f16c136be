// Measures the memory of a 95 MB upload and download, in the Worker's isolate through the inspector and in all of
// workerd, which includes the simulated bucket. Detects a Worker that buffers the file. Requires Linux for /proc.
import { createHash, randomBytes } from "node:crypto"
import { request } from "node:http"
import { join } from "node:path"
import { readWranglerConfig } from "../tools/lib/project.ts"
import { serveBundles } from "../tools/lib/serve.ts"
import { findFreePort } from "../tools/local/port.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { connectInspector, getResidentBytes, listWorkerdPids, type Memory, withMemorySampling } from "./lib/memory.ts"
import type { Topic } from "./lib/topic.ts"

const MB = 1_000_000
const NAME = "platform"

/** The largest allowed upload, and a small one for warm-up. */
const FILE_SIZES = { small: MB, large: 95 * MB }

/** Files repeat this block, so the client needs little memory. */
const BLOCK = randomBytes(MB)

interface Uploaded {
  id: number
  url: string
  size: number
}

export const media: Topic = async (stage) => {
  // Uses its own workerd, with clean memory and an inspector, which would slow down other topics.
  const earlier = listWorkerdPids()
  const inspectorPort = await findFreePort()
  const bundle = { name: NAME, config: "wrangler.toml", directory: join(stage.directory, "platform"), vars: stage.vars }
  const storage = join(stage.directory, "media-state")
  const { urls, stop } = await serveBundles([bundle], readWranglerConfig().d1_databases, storage, inspectorPort)
  const [pid = 0] = listWorkerdPids().filter((known) => !earlier.includes(known))
  const base = urls[NAME] ?? ""
  const inspector = await connectInspector(inspectorPort, NAME)
  const key = await createMediaToken(base, stage.operatorToken)
  await measureRoundTrip(base, key, FILE_SIZES.small, async (_, work) => work())
  const rows = [["", "", "before", "peak", "increase"]]
  await measureRoundTrip(base, key, FILE_SIZES.large, async (name, work) => {
    const { before, peak, seconds } = await withMemorySampling(
      async () => ({ ...(await inspector.usage()), resident: getResidentBytes(pid) }),
      work,
    )
    const row = (what: string, of: (memory: Memory) => number) => [
      what,
      ...[of(before), of(peak), of(peak) - of(before)].map((bytes) => `${(bytes / MB).toFixed(1)} MB`),
    ]
    rows.push([name, ...row("heap of the Worker", ({ heap }) => heap)])
    rows.push(["", ...row("buffers outside the heap", ({ buffers }) => buffers)])
    rows.push([
      `${(FILE_SIZES.large / MB / seconds).toFixed(0)} MB/s`,
      ...row("workerd with the bucket", (m) => m.resident),
    ])
  })
  inspector.close()
  await stop()
  return rows
}

type Measure = (name: string, work: () => Promise<void>) => Promise<void>

/** Uploads, downloads, compares and deletes a file. */
async function measureRoundTrip(base: string, key: string, size: number, measure: Measure): Promise<void> {
  let file: Uploaded | undefined
  await measure(`upload of ${size / MB} MB`, async () => {
    file = JSON.parse((await uploadFile(`${base}/api/v1/media/files`, key, size)).toString())
  })
  if (file?.size !== size) throw new Error(`${file?.size} bytes of ${size} were stored`)
  const address = base + new URL(file.url).pathname
  let received = ""
  await measure(`download of ${size / MB} MB`, async () => {
    received = await downloadDigest(address)
  })
  if (received !== getExpectedDigest(size)) throw new Error("The file came back changed")
  await fetch(`${base}/api/v1/media/files/${file.id}`, { method: "DELETE", headers: { "X-API-KEY": key } })
}

/** Creates an internal server token of the central site. */
async function createMediaToken(base: string, operatorToken: string): Promise<string> {
  const seeder = createSeeder(base, operatorToken, "")
  return (await seeder.operator<{ token: string }>("site-tokens:create", { name: "Benchmark", type: "internal" })).token
}

/** Uploads a file of `size` bytes block by block; returns the response body. */
function uploadFile(url: string, key: string, size: number): Promise<Buffer> {
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

async function downloadDigest(url: string): Promise<string> {
  const hash = createHash("sha256")
  const { body } = await fetch(url)
  if (body) for await (const chunk of body) hash.update(chunk)
  return hash.digest("hex")
}

function getExpectedDigest(size: number): string {
  const hash = createHash("sha256")
  for (let left = size; left > 0; left -= BLOCK.length) hash.update(BLOCK.subarray(0, left))
  return hash.digest("hex")
}
