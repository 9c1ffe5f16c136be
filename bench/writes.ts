// Measures the duration of write requests, one after another: stores, orders and uploads.
import { request } from "node:http"
import { callApi } from "../tools/lib/api.ts"
import { createSeeder } from "../tools/seed/seeder.ts"
import { waitForProvisioning } from "../tools/seed/stores.ts"
import { getMedian } from "./lib/load.ts"
import type { Stage, Topic } from "./lib/topic.ts"

const WRITES_PER_ROW = 31
const MEGABYTE = 1_000_000
export const CREATE_STORE = "create a store"

type WriteStage = Pick<Stage, "urls" | "operatorToken" | "key" | "store">

export const writes: Topic = async (stage) => {
  const rows = [["writes", "p50 ms", "slowest ms"]]
  for (const [name, [times, work]] of Object.entries(await prepareWrites(stage))) {
    const samples: number[] = []
    for (let n = 0; n < times; n += 1) {
      const started = performance.now()
      await work(n)
      samples.push(performance.now() - started)
    }
    // The stores are provisioned in the background, which would slow the next writes.
    if (name === CREATE_STORE) await waitForStores(stage, times)
    rows.push([name, getMedian(samples).toFixed(1), Math.max(...samples).toFixed(1)])
  }
  return rows
}

/** Prepares the store's data for the writes. @returns how many times each is measured, and how to send the n-th */
export async function prepareWrites(
  stage: WriteStage,
): Promise<Record<string, [times: number, work: (n: number) => Promise<unknown>]>> {
  const seeder = createSeeder(stage.urls.platform, stage.operatorToken, stage.key)
  const person = { owner_email: "owner@bench.example", password: seeder.password("owner") }
  const runCommand = <Data>(command: string, input: object) =>
    callApi<Data>(stage.urls.platform, stage.operatorToken, "POST", `/api/operator/v1/${command}`, input)
  await seeder.platform("POST", `/stores/${stage.store}/apps/ecommerce/enable`, {})
  const { token } = await runCommand<{ token: string }>("site-tokens:create", {
    site: stage.store,
    name: "bench",
    type: "internal",
  })
  const login = await sendRequest(stage, "/api/v1/login", { email: person.owner_email, password: person.password })
  const staff = { Authorization: `Bearer ${login.body.data.token}` }
  const product = await sendRequest(
    stage,
    "/api/v1/products",
    { name: "Bowl", price_cents: 100, currency: "EUR" },
    staff,
  )
  const category = (n: number) =>
    runCommand("categories:save", { site: stage.store, name: `Category ${n}`, slug: `c-${n}` })
  const boundary = "bench"
  const file = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`),
    Buffer.alloc(MEGABYTE, 7),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return {
    [CREATE_STORE]: [
      WRITES_PER_ROW,
      (n) => seeder.platform("POST", "/stores", { subdomain: `written-${n}`, name: "Bench", ...person }),
    ],
    "rename a store": [
      WRITES_PER_ROW,
      (n) => seeder.platform("PATCH", `/stores/${stage.store}`, { name: `Bench ${n}` }),
    ],
    "save a category": [WRITES_PER_ROW, category],
    // A user may have at most ten unpaid orders.
    "place an order, with emails to the customer and the shop": [
      9,
      () => sendRequest(stage, "/api/v1/orders", { items: [{ product_id: product.body.data.id, quantity: 1 }] }, staff),
    ],
    "upload a megabyte": [
      WRITES_PER_ROW,
      () =>
        sendRequest(stage, "/api/v1/media/files", file, {
          "X-API-KEY": token,
          "Content-Type": `multipart/form-data; boundary=${boundary}`,
        }),
    ],
  }
}

/** Waits until the stores that the writes created are provisioned. */
export async function waitForStores({ urls, operatorToken, key }: WriteStage, count: number): Promise<void> {
  const seeder = createSeeder(urls.platform, operatorToken, key)
  for (let n = 0; n < count; n += 1) await waitForProvisioning(seeder, `written-${n}`)
}

/** Sends a request to the store's host. @throws Error for an error response */
function sendRequest(
  { urls, store }: WriteStage,
  path: string,
  body: object | Buffer,
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
): Promise<{ body: any }> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const contentHeaders = {
      "Content-Type": "application/json",
      ...headers,
      Host: `${store}.localhost`,
      "Content-Length": bytes.length,
    }
    const sent = request(`${urls.platform}${path}`, { method: "POST", headers: contentHeaders }, (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 500) < 300) resolve({ body: JSON.parse(text) })
        else reject(new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 300)}`))
      })
    })
    sent.on("error", reject)
    sent.end(bytes)
  })
}
