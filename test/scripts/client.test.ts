// The client as a package in plain Node, over real sockets: through a proxy that cuts, delays and repeats.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import type { TenancyOptions } from "../../src/client/index"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"
import { packClient } from "../../tools/openapi/client-package"
import { controlDeadlines, type Deadline, skipTimeouts } from "../support/timers"

const directory = mkdtempSync(join(getScratchDirectory(), "client-"))
const installed = join(directory, "package")
let Tenancy: typeof import("../../src/client/index").Tenancy

beforeAll(async () => {
  await packClient(installed)
  ;({ Tenancy } = await import(pathToFileURL(join(installed, "index.js")).href))
}, 60_000)

/** The timeouts of the running test's requests. */
let deadlines: Deadline[]
beforeEach(() => {
  deadlines = controlDeadlines()
  // The client's backoff; the timeouts of `fetch` are longer.
  skipTimeouts((ms) => ms <= 4_000)
})
afterEach(() => void vi.restoreAllMocks())

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(directory, { recursive: true, force: true })
})

async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1")
  servers.push(server)
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * A platform that suspends stores: the first request of a key makes the change, its repetitions get the first response.
 */
async function startPlatform() {
  const responses = new Map<string, string>()
  const url = await listen((request, response) => {
    const key = String(request.headers["idempotency-key"])
    const body =
      responses.get(key) ??
      JSON.stringify({ data: { id: "acme", change: responses.size + 1, padding: "x".repeat(90_000) } })
    responses.set(key, body)
    response.setHeader("Content-Type", "application/json")
    response.end(body)
  })
  return { url, changes: () => responses.size }
}

type NetworkFault = "none" | "cut before" | "cut behind" | "cut within" | "delay" | "repeat"

/** A proxy that meets each request with the next trouble, and with none once they are used up. */
async function startProxy(target: string, faults: NetworkFault[]): Promise<string> {
  const remaining = [...faults]
  return listen(async (incoming, outgoing) => {
    const fault = remaining.shift() ?? "none"
    if (fault === "cut before") return void incoming.socket.destroy()
    const body = Buffer.concat(await incoming.toArray())
    const text = await forward(target, incoming, body)
    if (fault === "repeat") await forward(target, incoming, body)
    // Never responds.
    if (fault === "delay") return deadlines.at(-1)?.expire()
    if (fault === "cut behind") return void incoming.socket.destroy()
    outgoing.setHeader("Content-Type", "application/json")
    if (fault !== "cut within") return void outgoing.end(text)
    outgoing.write(text.slice(0, 50_000), () => incoming.socket.destroy())
  })
}

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const proxied = request(`${target}${url}`, { method, headers }, async (response) => {
      resolve((await response.toArray()).join(""))
    })
    proxied.on("error", reject)
    proxied.end(body)
  })
}

const createClient = (baseUrl: string, more: Partial<TenancyOptions> = {}) =>
  new Tenancy({ baseUrl, key: "tnk_test", ...more })

describe("through a proxy", () => {
  const FAULT_SEQUENCES: NetworkFault[][] = [
    ["none"],
    ["cut before"],
    ["cut behind"],
    ["cut within"],
    ["delay"],
    ["repeat"],
    ["cut before", "cut behind", "delay", "cut within"],
  ]
  test.each(FAULT_SEQUENCES.map((troubles) => [troubles.join(", "), troubles] as const))(
    "with trouble (%s) a write is made once and answered",
    async (_, troubles) => {
      const { url, changes } = await startPlatform()
      const store = await createClient(await startProxy(url, [...troubles])).stores.suspend("acme")
      expect(store).toMatchObject({ id: "acme", change: 1 })
      expect(changes()).toBe(1)
    },
  )

  test("fails after all retries when the server only cuts connections", async () => {
    const { url } = await startPlatform()
    const tenancy = createClient(await startProxy(url, Array(9).fill("cut before")), { maxRetries: 1 })
    await expect(tenancy.stores.get("acme")).rejects.toMatchObject({ code: "connection_failed", status: 0 })
  })
})

test("reports connection_failed when the connection is refused", async () => {
  const url = await listen(() => undefined)
  const server = servers.pop()
  server?.close()
  if (server) await once(server, "close")
  await expect(createClient(url, { maxRetries: 0 }).me.get()).rejects.toMatchObject({
    code: "connection_failed",
    message: expect.stringContaining("ECONNREFUSED"),
  })
})

test("the package compiles in an unrelated TypeScript project", () => {
  const modules = join(directory, "node_modules")
  mkdirSync(modules)
  symlinkSync(installed, join(modules, "tenancy-client"))
  const source = `
import { type Content, createContentClient, createLicenseClient, Tenancy, TenancyError, verifyWebhook } from "tenancy-client"
const content = createContentClient({ baseUrl: "http://acme.localhost:8787" })
export const listPosts = async (): Promise<Content.ListedPost[]> => (await content.posts.list({ per_page: 5 })).data
// @ts-expect-error: an id is missing
export const getPost = () => content.posts.get()
const licenses = createLicenseClient({ baseUrl: "http://localhost:8787", key: "k" })
export const verify = async (): Promise<boolean> => (await licenses.client.verify({ product_id: "A" })).is_active
// @ts-expect-error: an input is missing
export const verifyNothing = () => licenses.client.verify()
const tenancy = new Tenancy({ baseUrl: "http://localhost:8787", key: "tnk" })
export async function main(request: Request): Promise<string> {
  try {
    const { id } = await tenancy.stores.create({ subdomain: "a", name: "A", owner_email: "a@b.example", password: "12345678" })
    for await (const store of tenancy.stores.list({ status: "ready" })) console.log(store.root_url)
    return (await tenancy.stores.waitUntil(id, "ready")).status
  } catch (error) {
    if (TenancyError.is(error, "stores.create") && error.code === "subdomain_taken") return error.code
    // @ts-expect-error: a store's creation is never refused with this
    if (TenancyError.is(error, "stores.create") && error.code === "confirm_mismatch") return error.code
    // @ts-expect-error: a misspelled code
    if (error instanceof TenancyError && error.code === "subdomain_takn") return error.code
  }
  const event = await verifyWebhook({ headers: request.headers, body: await request.text() }, "whsec_x")
  if (event.type === "store.updated") return event.data.changes["name"]?.to ?? event.data.store.name
  // @ts-expect-error: a ping is about no store
  return event.type === "ping" ? event.data.store : event.id
}
`
  writeFileSync(join(directory, "main.ts"), source)
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  for (const resolution of ["bundler", "nodenext"]) {
    const module = resolution === "nodenext" ? "nodenext" : "esnext"
    const options = ["--noEmit", "--strict", "--types", "", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"]
    const args = [
      compiler,
      "main.ts",
      "--ignoreConfig",
      ...options,
      "--module",
      module,
      "--moduleResolution",
      resolution,
    ]
    const { stdout } = spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8" })
    expect(stdout).toBe("")
  }
}, 60_000)

test("the package uses only APIs that every runtime has", () => {
  const script = `
const { Tenancy, TenancyError, verifyWebhook } = await import("./package/index.js")
const tenancy = new Tenancy({ baseUrl: "http://localhost", key: "k", fetch: async () => Response.json({ data: { id: 1 } }) })
console.log((await tenancy.me.get()).id, typeof verifyWebhook, TenancyError.name)
`
  const args = ["--input-type=module", "--eval", script]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8" })
  expect(stderr).toBe("")
  expect(stdout).toBe("1 function TenancyError\n")
})

test("npm packs the code, the types, the license and the README, and nothing else", () => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"]
  const { stdout } = spawnSync("npm", args, { cwd: installed, encoding: "utf8" })
  const [packed] = JSON.parse(stdout)
  const files: string[] = packed.files.map((file: { path: string }) => file.path)
  expect(files.filter((file) => !file.startsWith("types/")).toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "index.js",
    "package.json",
  ])
  expect(files).toContain("types/index.d.ts")
})
