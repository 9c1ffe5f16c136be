// npm run fuzz: sends generated requests to the three APIs and validates every response against the OpenAPI documents.
//
//   npm run fuzz [-- --api=platform] [--requests=50000] [--seed=1]
//
// It builds the bundle and serves it with Miniflare on its own databases. Half of the requests are valid by the
// document and must not be rejected for a field. Later requests reuse ids, codes and cursors from responses. The same
// seed repeats the same operations as far as the responses allow.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request as httpRequest, type IncomingHttpHeaders } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { buildBundle } from "../tools/lib/bundle.ts"
import { readWranglerConfig, root } from "../tools/lib/project.ts"
import { parseScriptOptions } from "../tools/lib/script-options.ts"
import { serveBundles } from "../tools/lib/serve.ts"
import "../tools/lib/worker-imports.ts"
import { Contract } from "../tools/openapi/contract.ts"
import type { Document, Operation } from "../tools/openapi/document.ts"
import {
  type FuzzResponse,
  type GeneratedRequest,
  generateRequests,
  listUnsupportedMethods,
  probe,
} from "../tools/openapi/fuzz.ts"
import { ValuePool } from "../tools/openapi/fuzz-pool.ts"

const { APP_LOOKUPS, APP_SLUGS } = await import("../tools/openapi/apps.ts")

const NAMES = ["platform", "content", "license"] as const
type Name = (typeof NAMES)[number]

const options = parseScriptOptions(import.meta.url, { api: "", requests: 50_000, seed: null })
const seed = options.seed ?? Date.now() % 2 ** 31
const chosen = NAMES.filter((name) => !options.api || options.api === name)
/** Concurrent requests. */
const CONCURRENCY = 8

const OPERATOR_TOKEN = "a-token-for-the-fuzzer-alone-0123456789"

const directory = mkdtempSync(join(tmpdir(), "tenancy-fuzz-"))
console.log(`seed ${seed}`)
await buildBundle("wrangler.toml", join(directory, "bundle"))
const server = await serveBundles(
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
      handleOutbound: async (request) => handleOutbound(new URL(request.url)),
    },
  ],
  readWranglerConfig().d1_databases,
  join(directory, "state"),
)
const { port } = new URL(server.urls.platform ?? "")
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
  const fixtures = await createFixtures()
  for (const name of chosen) failed = !(await fuzz(name, documents[name], contract, fixtures)) || failed
  for (const [key, count] of [...statuses].sort()) console.log(`  ${String(count).padStart(7)}  ${key}`)
} finally {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)

/** A host with its known values and credentials. */
interface Site {
  host: string
  values: ValuePool
  /** Returns a credential for the operation; occasionally one of another site, which is invalid. */
  credentialFor(operation: Operation): Record<string, string>
}

type Fixtures = Record<Name, Site[]>

/** Mocks the network: DNS resolves every name, the marketplace returns 404, and some receivers fail. */
function handleOutbound({ hostname, searchParams }: URL): Response {
  if (hostname === "cloudflare-dns.com") {
    const isAddress = searchParams.get("type") === "A"
    return Response.json({ Status: 0, Answer: isAddress ? [{ type: 1, data: "93.184.215.14" }] : [] })
  }
  const digit = Number(/receiver-\d*(\d)\./.exec(hostname)?.[1] ?? 1)
  if (!hostname.startsWith("receiver-")) return Response.json({}, { status: 404 })
  return digit % 3 ? new Response("thank you") : new Response("not now", { status: 503 })
}

/** Fuzzes one API and prints the findings. */
async function fuzz(name: Name, document: Document, contract: Contract, world: Fixtures): Promise<boolean> {
  const base = document.servers[0]?.url ?? ""
  const started = Date.now()
  let sent = 0
  const properties = world[name].map(({ host: at, values: known, credentialFor: good }) =>
    fc.asyncProperty(generateRequests(document, known), async (made) => {
      const send = async (request: GeneratedRequest, extra: Record<string, string>): Promise<FuzzResponse> => {
        sent += 1
        if (sent % 5000 === 0) console.log(`${name}: ${sent} requests`)
        const bad = { Authorization: "Bearer nobody", "X-API-KEY": "nobody" }
        const credential = { good: good(request.operation), none: {}, bad }[request.credential]
        const type: Record<string, string> = request.body?.type ? { "Content-Type": request.body.type } : {}
        const body = request.method === "GET" ? undefined : request.body?.text
        return sendRequest(request.method, at, base + request.path, { ...extra, ...credential, ...type }, body)
      }
      const headers = new Headers({ "Accept-Language": made.language })
      const response = await probe(
        made,
        send,
        (one) => {
          contract.check(
            { method: made.method, url: `http://${at}${base}${made.path}`, headers },
            one,
            at === "localhost",
          )
        },
        APP_LOOKUPS,
      )
      if (response.status < 300) known.learn(made.template, response.text)
    }),
  )
  const found = new Set<string>()
  let rounds = 0
  const runWorker = async () => {
    while (sent < options.requests) {
      const at = seed + rounds
      rounds += 1
      const property = properties[rounds % properties.length]
      if (!property) return
      const result = await fc.check(property, { numRuns: 50, seed: at, endOnFailure: true })
      const cause = (result as { errorInstance?: Error }).errorInstance
      if (!result.failed || !cause) continue
      const words = cause.message.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, "#").slice(0, 400)
      // Findings that differ only in language or value are the same.
      const [kind = words] = words.split("{")
      if (found.has(kind)) continue
      found.add(kind)
      const [made] = result.counterexample ?? []
      const { method, path, body } = made as GeneratedRequest
      console.error(
        `${name}: ${words}\n  ${method} ${path.slice(0, 200)} ${(body?.text ?? "").slice(0, 500)} (seed ${at})`,
      )
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, runWorker))
  for (const { path, method, allowed, operation } of listUnsupportedMethods(document)) {
    const headers = operation ? (world[name][0]?.credentialFor(operation) ?? {}) : {}
    const response = await sendRequest(method, "localhost", base + path, headers)
    const allow = response.headers.get("Allow")?.split(", ").sort().join()
    // Apps are disabled on the central host, media keys are rate limited, and legacy clients always get status 200.
    if ([401, 404, 429].includes(response.status) || operation?.deprecated) continue
    if (response.status !== 405 || allow !== allowed.join()) {
      found.add(`${method} ${path}`)
      console.error(`${name}: ${method} ${path} returned ${response.status}, Allow: ${allow}`)
    }
  }
  console.log(`${name}: ${sent} requests in ${Math.round((Date.now() - started) / 1000)} s, ${found.size} findings`)
  return found.size === 0
}

/** Sends a request. fetch cannot set the Host header. */
function sendRequest(
  method: string,
  host: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<FuzzResponse> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }
    const options = { host: "127.0.0.1", port, method, path, headers: { ...headers, ...length, Host: host } }
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      // A response to a size request ends after its headers.
      const done = () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: toHeaders(response.headers),
          text: Buffer.concat(chunks).toString(),
        })
      response.on("end", done).on("error", done)
    })
    request.on("error", reject)
    request.end(body)
  })
}

function toHeaders(headers: IncomingHttpHeaders): Headers {
  return new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  )
}

/** Creates stores with apps, plans, users, content and a license, and the credentials for them. */
async function createFixtures(): Promise<Fixtures> {
  const runCommand = (command: string, input: Record<string, unknown>) =>
    sendJson("POST", "localhost", `/api/operator/v1/${command}`, { Authorization: `Bearer ${OPERATOR_TOKEN}` }, input)
  const { data: key } = await runCommand("keys:create", { name: "fuzz", scopes: "read,write" })
  const control = { Authorization: `Bearer ${key.plaintext ?? key.key}` }
  await runCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "To our account." })
  for (const [slug, price_cents] of [
    ["starter", 0],
    ["grown", 2900],
  ] as const) {
    await runCommand("plans:save", {
      slug,
      name: slug,
      description: "",
      price_cents,
      currency: "EUR",
      interval: "month",
      trial_days: 0,
      limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0 },
      features: { custom_domain: true, api_access: true, remove_branding: true },
    })
  }
  const store = { name: "Acme", owner_email: "ada@example.com", password: "correct-horse", plan: "starter" }
  // Requests to the control plane may suspend or delete the first store; the second stays available.
  for (const subdomain of ["acme", "bloom"]) {
    await sendJson("POST", "localhost", "/api/platform/v1/stores", control, { ...store, subdomain })
    await waitForStore(control, subdomain)
    for (const slug of APP_SLUGS) {
      await sendJson("POST", "localhost", `/api/platform/v1/stores/${subdomain}/apps/${slug}/enable`, control)
    }
  }
  const content = await Promise.all([
    createContentSite(runCommand, "central", "localhost"),
    createContentSite(runCommand, "bloom", "bloom.localhost"),
  ])
  return {
    platform: [
      {
        host: "localhost",
        // A revocation could revoke the key of later requests, so it uses an invalid one.
        credentialFor: ({ operationId }) =>
          operationId === "keys.revoke" ? { Authorization: "Bearer nobody" } : control,
        values: new ValuePool({
          "stores id": ["acme"],
          "webhooks id": [1],
          "deliveries id": [1],
          "plans slug": ["starter", "grown"],
          "apps slug": [...APP_SLUGS],
          plan: ["starter", "grown"],
          theme: ["atelier"],
          preset: ["linen"],
          store: ["acme"],
          confirm: ["acme"],
          "domains domain": ["acme.localhost"],
          domain: ["shop.example.org", "boutique.example.net"],
        }),
      },
    ],
    content: content.map((site, index) => ({
      ...site,
      good: createMixedCredential(site.credentialFor, content[1 - index]?.credentialFor ?? site.credentialFor),
    })),
    license: [await createLicenseSite(runCommand)],
  }
}

type Operate = (command: string, input: Record<string, unknown>) => ReturnType<typeof sendJson>

async function waitForStore(control: Record<string, string>, store: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { data } = await sendJson("GET", "localhost", `/api/platform/v1/stores/${store}`, control)
    if (data.status === "ready") return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`${store} was not ready in time`)
}

/** Returns the site's own credential three times out of four. */
function createMixedCredential(own: Site["credentialFor"], other: Site["credentialFor"]): Site["credentialFor"] {
  let turn = 0
  return (operation) => (++turn % 4 ? own : other)(operation)
}

/**
 * Creates a site with all kinds of content. Requests to a store use its owner, who has all permissions of the staff.
 */
async function createContentSite(operate: Operate, site: string, host: string): Promise<Site> {
  const token = await operate("site-tokens:create", { site, name: "fuzz", type: "internal" })
  const key = { "X-API-KEY": String(token.data.plaintext ?? token.data.token) }
  const password = "correct-horse"
  if (site === "central") {
    const user = { name: "Ada Byron", email: "ada@example.com", password, password_confirmation: password }
    await sendJson("POST", host, "/api/v1/register", {}, user)
  }
  const { data } = await sendJson("POST", host, "/api/v1/login", {}, { email: "ada@example.com", password })
  const bearer = { Authorization: `Bearer ${data.token}` }
  await operate("categories:save", { site, slug: "news", name: "News" })
  await operate("tags:save", { site, slug: "fresh", name: "Fresh" })
  for (const slug of ["first", "second"]) {
    await operate("posts:save", { site, slug, name: slug, content: "<p>Words.</p>", categories: "news", tags: "fresh" })
    await operate("pages:save", { site, slug, name: slug, content: "<p>Words.</p>" })
  }
  await sendJson("POST", host, "/api/v1/device-tokens", bearer, { token: `device-of-${site}`, platform: "android" })
  await operate("api:send-notification", { site, title: "Hello", message: "There is news." })
  return {
    host,
    // Logging out would invalidate the session for later requests, so it uses an invalid token.
    credentialFor: ({ operationId }) =>
      operationId === "accounts.logOut" ? { ...key, Authorization: "Bearer nobody" } : { ...key, ...bearer },
    values: new ValuePool({
      plan: ["grown"],
      timezone: ["UTC", "Europe/Paris"],
      "posts id": ["first", "second"],
      "pages id": ["first"],
      "categories id": ["news"],
      "tags id": ["fresh"],
    }),
  }
}

async function createLicenseSite(operate: Operate): Promise<Site> {
  const external = (await operate("license-keys:create", { name: "fuzz", type: "external" })).data
  const internal = (await operate("license-keys:create", { name: "fuzz", type: "internal" })).data
  await operate("license-settings", { lm_requests_rate_limiting_period: 1_000_000 })
  const vendor = { "X-API-KEY": String(internal.plaintext ?? internal.key) }
  await sendJson("POST", "localhost", "/api/internal/products", vendor, { name: "SEO", reference_id: "ACME-SEO" })
  await sendJson("POST", "localhost", "/api/internal/products/ACME-SEO/versions", vendor, {
    version: "1.0.0",
    version_id: "ACME-SEO-1",
  })
  const license = await sendJson("POST", "localhost", "/api/internal/product-licenses", vendor, {
    product_reference_id: "ACME-SEO",
  })
  const client = { "X-API-KEY": String(external.plaintext ?? external.key) }
  return {
    host: "localhost",
    credentialFor: (operation) => ({
      ...("vendorKey" in (operation.security[0] ?? {}) ? vendor : client),
      "X-API-URL": "https://shop.example.com",
    }),
    values: new ValuePool({
      product: ["ACME-SEO"],
      product_id: ["ACME-SEO"],
      product_reference_id: ["ACME-SEO"],
      license: [license.data?.id ?? 1, license.data?.license_code ?? ""],
      license_code: [license.data?.license_code ?? ""],
      "versions version": ["ACME-SEO-1"],
      "update version": ["ACME-SEO-1"],
      "download_update version": ["ACME-SEO-1"],
      "{type} version": ["ACME-SEO-1"],
      "download type": ["main", "sql"],
      "download_update type": ["main", "sql"],
      "get_update_size type": ["main", "sql"],
    }),
  }
}

async function sendJson(
  method: string,
  host: string,
  path: string,
  headers: Record<string, string>,
  input?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
): Promise<any> {
  const type: Record<string, string> = input === undefined ? {} : { "Content-Type": "application/json" }
  const { status, text } = await sendRequest(
    method,
    host,
    path,
    { ...headers, ...type },
    input === undefined ? undefined : JSON.stringify(input),
  )
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`)
  return JSON.parse(text)
}
