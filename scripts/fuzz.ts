// npm run fuzz: throws made-up requests at the three APIs, as they are deployed, and holds every answer to the documents.
//
//   npm run fuzz [-- --api=platform] [--requests=50000] [--seed=1]
//
// It builds the bundle, serves it by Miniflare on databases of its own, and needs nothing to run beside it. The seed is printed, and
// with the same seed the same requests come again.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request as httpRequest, type IncomingHttpHeaders } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import fc from "fast-check"
import { buildBundle } from "../bench/lib/bundle.ts"
import { serve } from "../bench/lib/serve.ts"
import { root, wranglerConfig } from "./lib/project.ts"
import { Contract } from "./openapi/contract.ts"
import type { Document } from "./openapi/document.ts"
import { type MadeUp, madeUp, probe, type Sent, wrongVerbs } from "./openapi/fuzz.ts"

const NAMES = ["platform", "content", "license"] as const
type Name = (typeof NAMES)[number]

const { values } = parseArgs({
  options: { api: { type: "string" }, requests: { type: "string", default: "50000" }, seed: { type: "string" } },
})
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const chosen = NAMES.filter((name) => !values.api || values.api === name)
/** Requests on their way at a time. */
const LANES = 8

const OPERATOR_TOKEN = "a-token-for-the-fuzzer-alone-0123456789"

const directory = mkdtempSync(join(tmpdir(), "tenancy-fuzz-"))
console.log(`seed ${seed}`)
await buildBundle("wrangler.toml", join(directory, "bundle"))
const served = await serve(
  [
    {
      name: "platform",
      config: "wrangler.toml",
      directory: join(directory, "bundle"),
      vars: {
        APP_KEY: "base64:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        OPERATOR_TOKEN,
        STRIPE_WEBHOOK_SECRET: "whsec_fuzz",
        MARKETPLACE_TOKEN: "fuzz",
        CENTRAL_DOMAIN: "localhost",
        PUBLIC_URL: "http://{host}",
        TENANCY_API_RATE_LIMIT: "1000000000",
        TENANCY_API_RATE_LIMIT_PER_IP: "0",
      },
      outbound: async () => new Response("no network here", { status: 502 }),
    },
  ],
  wranglerConfig().d1_databases,
  join(directory, "state"),
)
const { port } = new URL(served.urls.platform ?? "")
let failed = false
try {
  const documents = Object.fromEntries(
    NAMES.map((name) => [name, JSON.parse(readFileSync(join(root, `openapi/${name}.json`), "utf8")) as Document]),
  ) as Record<Name, Document>
  const statuses = new Map<string, number>()
  const contract = new Contract(documents, (line) => {
    const [name, , status, code = ""] = line.split(" ")
    const key = `${name} ${status} ${code}`.trim()
    statuses.set(key, (statuses.get(key) ?? 0) + 1)
  })
  const world = await prepare()
  for (const name of chosen) failed = !(await fuzz(name, documents[name], contract, world)) || failed
  for (const [key, count] of [...statuses].sort()) console.log(`  ${String(count).padStart(7)}  ${key}`)
} finally {
  await served.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

interface World {
  known: Record<Name, Record<string, (string | number)[]>>
  good: Record<Name, (made: MadeUp) => Record<string, string>>
  hosts: Record<Name, string[]>
}

/** Throws requests at one API until there were enough, and tells what was found. */
async function fuzz(name: Name, document: Document, contract: Contract, world: World): Promise<boolean> {
  const base = document.servers[0]?.url ?? ""
  const started = Date.now()
  let sent = 0
  const host = () => world.hosts[name][sent % world.hosts[name].length] ?? "localhost"
  const property = fc.asyncProperty(madeUp(document, world.known[name]), async (made) => {
    const at = host()
    const send = async (request: MadeUp, extra: Record<string, string>): Promise<Sent> => {
      sent += 1
      if (sent % 5000 === 0) console.log(`${name}: ${sent} requests`)
      const bad = { Authorization: "Bearer nobody", "X-API-KEY": "nobody" }
      const credential = { good: world.good[name](request), none: {}, bad }[request.credential]
      const type: Record<string, string> = request.body?.type ? { "Content-Type": request.body.type } : {}
      const body = request.method === "GET" ? undefined : request.body?.text
      return ask(request.method, at, base + request.path, { ...extra, ...credential, ...type }, body)
    }
    const headers = new Headers({ "Accept-Language": made.language })
    await probe(made, send, (answer) => {
      contract.hold(
        { method: made.method, url: `http://${at}${base}${made.path}`, headers },
        answer,
        at === "localhost",
      )
    })
  })
  const found = new Set<string>()
  let rounds = 0
  const lane = async () => {
    while (sent < Number(values.requests)) {
      const at = seed + rounds
      rounds += 1
      const result = await fc.check(property, { numRuns: 200, seed: at, endOnFailure: true })
      const cause = (result as { errorInstance?: Error }).errorInstance
      if (!result.failed || !cause) continue
      const words = cause.message.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, "#").slice(0, 400)
      if (found.has(words)) continue
      found.add(words)
      const [made] = result.counterexample ?? []
      const { method, path, body } = made as MadeUp
      console.error(
        `${name}: ${words}\n  ${method} ${path.slice(0, 200)} ${(body?.text ?? "").slice(0, 500)} (seed ${at})`,
      )
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  for (const { path, verb, allowed, operation } of wrongVerbs(document)) {
    const headers = world.good[name]({ operation } as MadeUp)
    const answer = await ask(verb, "localhost", base + path, headers)
    const allow = answer.headers.get("Allow")?.split(", ").sort().join()
    // Apps are off on the central host, media keys have a budget, and older clients are told everything with status 200.
    if ([401, 404, 429].includes(answer.status) || operation?.deprecated) continue
    if (answer.status !== 405 || allow !== allowed.join()) {
      found.add(`${verb} ${path}`)
      console.error(`${name}: ${verb} ${path} answers ${answer.status}, Allow: ${allow}`)
    }
  }
  console.log(`${name}: ${sent} requests in ${Math.round((Date.now() - started) / 1000)} s, ${found.size} findings`)
  return found.size === 0
}

/** One request. Node's own `fetch` would not say another host than it goes to. */
function ask(
  method: string,
  host: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }
    const options = { host: "127.0.0.1", port, method, path, headers: { ...headers, ...length, Host: host } }
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      // A file's size is told by an answer that is cut behind its headers.
      const done = () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: headersOf(response.headers),
          text: Buffer.concat(chunks).toString(),
        })
      response.on("end", done).on("error", done)
    })
    request.on("error", reject)
    request.end(body)
  })
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  return new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  )
}

/** What there is to ask about: a store, a plan, an endpoint, users, a license, and the credentials for all of it. */
async function prepare(): Promise<World> {
  const operate = (command: string, input: Record<string, unknown>) =>
    json("POST", "localhost", `/api/operator/v1/${command}`, { Authorization: `Bearer ${OPERATOR_TOKEN}` }, input)
  const { data: key } = await operate("keys:create", { name: "fuzz", scopes: "read,write" })
  const control = { Authorization: `Bearer ${key.plaintext ?? key.key}` }
  await operate("plans:save", {
    slug: "starter",
    name: "Starter",
    description: "",
    price_cents: 0,
    currency: "EUR",
    interval: "month",
    trial_days: 0,
    limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0 },
    features: { custom_domain: true, api_access: true, remove_branding: true },
  })
  const store = {
    subdomain: "acme",
    name: "Acme",
    owner_email: "ada@example.com",
    password: "correct-horse",
    plan: "starter",
  }
  await json("POST", "localhost", "/api/platform/v1/stores", control, store)
  // What is thrown at the control plane suspends and deletes the one; the other stays open.
  await json("POST", "localhost", "/api/platform/v1/stores", control, { ...store, subdomain: "bloom" })
  for (let tries = 0; tries < 100; tries += 1) {
    const { data } = await json("GET", "localhost", "/api/platform/v1/stores/bloom", control)
    if (data.status === "ready") break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const tokens: Record<string, string> = {}
  const keys: Record<string, string> = {}
  for (const [site, host] of Object.entries({ central: "localhost", bloom: "bloom.localhost" })) {
    const made = await operate("site-tokens:create", { site, name: "fuzz", type: "internal" })
    keys[site] = made.data.plaintext ?? made.data.token
    const user = {
      name: "Ada Byron",
      email: "ada.byron@example.com",
      password: "correct-horse",
      password_confirmation: "correct-horse",
    }
    await json("POST", host, "/api/v1/register", {}, user)
    const login = await json("POST", host, "/api/v1/login", {}, { email: user.email, password: user.password })
    tokens[site] = login.data?.token ?? ""
  }
  const external = (await operate("license-keys:create", { name: "fuzz", type: "external" })).data
  const internal = (await operate("license-keys:create", { name: "fuzz", type: "internal" })).data
  await operate("license-settings", { lm_requests_rate_limiting_period: 1_000_000 })
  const vendor = { "X-API-KEY": String(internal.plaintext ?? internal.key) }
  await json("POST", "localhost", "/api/internal/products", vendor, { name: "SEO", reference_id: "ACME-SEO" })
  const license = await json("POST", "localhost", "/api/internal/product-licenses", vendor, {
    product_reference_id: "ACME-SEO",
  })
  let turn = 0
  return {
    hosts: { platform: ["localhost"], content: ["localhost", "bloom.localhost"], license: ["localhost"] },
    good: {
      platform: () => control,
      content: ({ operation }) => {
        turn += 1
        // Which host is asked alternates; a token of the other site is a bad one, which is as good a test.
        const site = turn % 3 ? "bloom" : "central"
        // Whoever logs out is no user any more: that one is nobody from the start.
        if (operation.operationId === "accounts.logOut")
          return { Authorization: "Bearer nobody", "X-API-KEY": keys[site] ?? "" }
        return { Authorization: `Bearer ${tokens[site]}`, "X-API-KEY": keys[site] ?? "" }
      },
      license: ({ operation }) => ({
        "X-API-KEY":
          "vendorKey" in (operation?.security[0] ?? {})
            ? vendor["X-API-KEY"]
            : String(external.plaintext ?? external.key),
        "X-API-URL": "https://shop.example.com",
      }),
    },
    known: {
      platform: {
        "stores id": ["acme"],
        "webhooks id": [1, 2, 3],
        "deliveries id": [1, 2, 3],
        slug: ["starter", "reviews", "ecommerce"],
        plan: ["starter"],
        theme: ["atelier", "bazaar"],
        domain: ["acme.localhost", "shop.example.org"],
        events: ["store.*"],
        event: ["store.ready"],
      },
      content: { id: [1, 2], folder: [1, 2], file: [1] },
      license: {
        product: ["ACME-SEO"],
        product_id: ["ACME-SEO"],
        product_reference_id: ["ACME-SEO"],
        license: [license.data?.id ?? 1, license.data?.license_code ?? ""],
        license_code: [license.data?.license_code ?? ""],
        id: [1, 2],
      },
    },
  }
}

async function json(
  method: string,
  host: string,
  path: string,
  headers: Record<string, string>,
  input?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
): Promise<any> {
  const type: Record<string, string> = input === undefined ? {} : { "Content-Type": "application/json" }
  const { status, text } = await ask(
    method,
    host,
    path,
    { ...headers, ...type },
    input === undefined ? undefined : JSON.stringify(input),
  )
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`)
  return JSON.parse(text)
}
