// Raises every refusal of the APIs' gates at every operation that documents it.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { type CallOptions, call, type TestResponse } from "../support/app"
import { APP_REQUESTS } from "../support/app-requests"
import { makeSettings, makeUser } from "../support/content-factories"
import { makeEndpoint, makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { makeLicenseKey, makeProduct, makeVersion, setLicenseSettings } from "../support/license-factories"
import { listSamples, type Sample, send } from "../support/samples"
import { openSupportLogin } from "../support/support-logins"

/** Removes the parts of a response that differ from request to request. */
const words = (message: string | null = "") => (message ?? "").replace(/[0-9A-HJKMNP-TV-Z]{26}|\d+/g, "#")

const messageOf = (body: { message?: string; error?: { message?: string } | boolean } | undefined): string =>
  words((typeof body?.error === "object" ? body.error.message : undefined) ?? body?.message)

/**
 * Raises one refusal at every operation that documents it.
 * @param refusal `<status> <code>`
 * @param raise sends the request that is refused so
 * @param which of them
 */
async function atEach(
  api: Parameters<typeof listSamples>[0],
  refusal: string,
  raise: (sample: Sample) => Promise<TestResponse>,
  which: (sample: Sample) => boolean = () => true,
): Promise<void> {
  const samples = listSamples(api).filter((sample) => sample.refusals.has(refusal) && which(sample))
  expect(samples.length).toBeGreaterThan(0)
  for (const sample of samples) {
    const response = await raise(sample)
    const actual = refusal.endsWith("validation_failed")
      ? [response.status, Boolean(response.body.errors)]
      : [response.status, messageOf(response.body)]
    const [status] = refusal.split(" ")
    const expected = refusal.endsWith("validation_failed")
      ? [Number(status), true]
      : [Number(status), messageOf(sample.refusals.get(refusal))]
    expect.soft(actual, `${sample.id}: ${response.text.slice(0, 200)}`).toEqual(expected)
  }
}

/** The body to send instead of the example. */
const BODIES: Record<string, (sample: Sample) => CallOptions> = {
  "400 http_error": (sample) => ({ body: "{", headers: { "Content-Type": typeOf(sample) } }),
  "413 http_error": (sample) => ({
    body: "{}",
    headers: { "Content-Type": typeOf(sample), "Content-Length": "2000000000" },
  }),
  "415 http_error": () => ({ body: "<a/>", headers: { "Content-Type": "application/xml" } }),
}

const typeOf = ({ bodyType }: Sample) => (bodyType === "form" ? "multipart/form-data; boundary=b" : "application/json")

/** A value that no field accepts. */
const spoilt = (json: unknown): object => ({
  ...Object.fromEntries(Object.keys((json ?? {}) as object).map((name) => [name, [[[]]]])),
})

/** The request with an invalid query or body. */
function invalid(sample: Sample, options: CallOptions): Promise<TestResponse> {
  const query = sample.query.map((name) => `${name}=%00&${name}=x`).join("&")
  const path = query ? `${sample.path.split("?")[0]}?${query}` : sample.path
  return sample.bodyType === "json" && sample.method !== "GET"
    ? send({ ...sample, path }, { ...options, json: spoilt(sample.json) })
    : send({ ...sample, path }, options)
}

describe("the control plane", () => {
  const unlimited = { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

  test("returns 401 for missing, unknown, revoked and expired keys", async () => {
    await atEach("platform", "401 unauthenticated", (sample) => send(sample, { env: unlimited }))
    const credentials = {
      invalid_key: `tnk_aaaaaaaa_${"b".repeat(40)}`,
      key_revoked: await makeKey({ revoked: true }),
      key_expired: await makeKey({ expires: new Date(Date.now() - 1_000) }),
    }
    for (const [code, token] of Object.entries(credentials))
      await atEach("platform", `401 ${code}`, (sample) => send(sample, { token, env: unlimited }))
  })

  test("returns 403 for a key without the scope", async () => {
    const keys = { read: await makeKey({ scopes: ["write"] }), write: await makeKey({ scopes: ["read"] }) }
    await atEach("platform", "403 insufficient_scope", (sample) =>
      send(sample, { token: keys[sample.method === "GET" ? "read" : "write"], env: unlimited }),
    )
  })

  test("returns 429 for a rate-limited key", async () => {
    const token = await makeKey()
    const limit = { TENANCY_API_RATE_LIMIT: "1" }
    await call("GET", "/api/platform/v1/me", { token, env: limit })
    await atEach("platform", "429 rate_limited", (sample) => send(sample, { token, env: limit }))
  })

  test("returns 503 while the API is disabled and 500 while the database is unreachable", async () => {
    await atEach("platform", "503 api_disabled", (sample) => send(sample, { env: { TENANCY_API_ENABLED: "false" } }))
    const token = await makeKey()
    await hide("api_keys")
    await atEach("platform", "500 server_error", (sample) => send(sample, { token, env: unlimited }))
  })

  test.each(Object.keys(BODIES))("a body that is refused: %s", async (refusal) => {
    const token = await makeKey()
    await atEach("platform", refusal, (sample) => send(sample, { ...BODIES[refusal]?.(sample), token, env: unlimited }))
  })

  test("returns 422 for invalid fields and for an invalid Idempotency-Key", async () => {
    const token = await makeKey()
    // What the samples ask about: of what is not there, that is said first.
    await makeStore({ subdomain: "acme" })
    await makeEndpoint({ id: 1 })
    await atEach("platform", "422 validation_failed", (sample) =>
      sample.method === "GET"
        ? invalid(sample, { token, env: unlimited })
        : send(sample, { token, headers: { "Idempotency-Key": "a b" }, env: unlimited }),
    )
  })

  test("refuses an Idempotency-Key of another request and of one in progress", async () => {
    const token = await makeKey()
    const used = { token, headers: { "Idempotency-Key": "used" }, env: unlimited }
    await call("POST", "/api/platform/v1/stores/nobody/suspend", used)
    await atEach("platform", "422 idempotency_mismatch", (sample) => send(sample, used))
    await atEach("platform", "409 idempotency_in_progress", async (sample) => {
      const options = { token, headers: { "Idempotency-Key": sample.id }, env: unlimited }
      await send(sample, options)
      await env.DB.exec("update idempotency_records set status = null, response = null, committed_at = 1")
      return send(sample, options)
    })
  })
})

/** Queries for which public lists require staff. */
const DRAFTS: Record<string, string> = { "posts.list": "?status=draft", "pages.list": "?status=draft" }

describe("the content API", () => {
  const atStore = (id: string) => ({ host: `${id}.localhost` })

  /** A user and a key of a site, for whichever an operation asks. */
  async function credentialsOf(site: string) {
    const { token } = await makeUser(site, { isStaff: true })
    return { token, headers: { "X-API-KEY": await makeServerKey(site, "internal") } }
  }

  test("returns 503 for a closed store and 403 without API access", async () => {
    const closed = await makeReadyStore()
    await env.DB.prepare("update stores set status = 'pending' where id = ?").bind(closed).run()
    await atEach("content", "503 store_unavailable", (sample) => send(sample, atStore(closed)))
    const plan = await makePlan({ features: { custom_domain: true, api_access: false, remove_branding: true } })
    const poor = await makeReadyStore({ plan: plan.slug })
    await atEach("content", "403 not_entitled", (sample) => send(sample, atStore(poor)))
  })

  test("refuses requests to a disabled API and without a required key", async () => {
    await makeSettings("central", { apiEnabled: false })
    await atEach("content", "503 api_disabled", (sample) => send(sample))
    await makeSettings("central", { keyRequired: true })
    await atEach("content", "401 invalid_key", (sample) => send(sample))
  })

  test("returns 404 for an unknown host", async () => {
    await atEach("content", "404 not_found", (sample) => send(sample, { host: "nobody.localhost" }))
  })

  test("refuses user routes without a user and with an unconfirmed address", async () => {
    const store = await makeReadyStore()
    await enableApps(store)
    await makeSettings(store, { emailVerification: true })
    const { token } = await makeUser(store, { emailVerifiedAt: null })
    const isOfUser = ({ securitySchemes: schemes }: Sample) => schemes.includes("user")
    const unknownToken = `1|${"x".repeat(48)}`
    await atEach(
      "content",
      "401 unauthenticated",
      (one) => send({ ...one, path: one.path + (DRAFTS[one.id] ?? "") }, { ...atStore(store), token: unknownToken }),
      isOfUser,
    )
    await atEach("content", "403 email_unverified", (one) => send(one, { ...atStore(store), token }), isOfUser)
  })

  test("refuses staff operations to customers and media writes to a read-only API key", async () => {
    const store = await makeReadyStore()
    await enableApps(store)
    await makeSettings(store, { keyWritesMedia: false })
    const { token } = await makeUser(store)
    const headers = { "X-API-KEY": await makeSiteKey(store) }
    await makeSettings(store, { keyWritesMedia: false })
    const staffOnly = new Set<string>(
      routeTable(await loadContentRoutes()).flatMap(({ id, refuses }) => (refuses.includes("forbidden") ? [id] : [])),
    )
    const isMedia = ({ path }: Sample) => path.startsWith("/api/v1/media/")
    await atEach("content", "403 forbidden", (one) => send(one, { ...atStore(store), headers }), isMedia)
    // Members of the staff may not delete their own accounts, so a customer's request is refused for its password.
    const ownWrites = ["profile.delete", ...APP_REQUESTS.flatMap((app) => app.ownWrites ?? [])]
    const more: Record<string, string> = {
      ...DRAFTS,
      ...Object.assign({}, ...APP_REQUESTS.map(({ staffQueries }) => staffQueries)),
    }
    await atEach(
      "content",
      "403 forbidden",
      (one) => send({ ...one, path: one.path + (more[one.id] ?? "") }, { ...atStore(store), token, headers }),
      // The item belongs to another user or does not exist.
      (one) => !isMedia(one) && staffOnly.has(one.id) && !ownWrites.includes(one.id),
    )
  })

  test("returns 403 for every write with a support login", async () => {
    const store = await makeReadyStore()
    await enableApps(store)
    const { token } = await openSupportLogin(store)
    const isWriteOfUser = ({ method, path }: Sample) => method !== "GET" && !path.startsWith("/api/v1/media/")
    await atEach("content", "403 forbidden", (one) => send(one, { ...atStore(store), token }), isWriteOfUser)
  })

  test("returns 429 after too many attempts", async () => {
    const store = await makeReadyStore()
    await enableApps(store)
    const { token } = await makeUser(store, { isStaff: true })
    const headers = { "X-API-KEY": await makeServerKey(store) }
    // A limiter that cannot take any more refuses everybody.
    const fetch = () => Promise.reject(new Error("Durable Object is overloaded."))
    vi.spyOn(env.RATE_LIMIT, "get").mockReturnValue({ fetch } as unknown as DurableObjectStub)
    await atEach("content", "429 rate_limited", (sample) => {
      // A device that comes without its user is counted.
      const credential = sample.id === "devices.register" ? {} : { token, headers }
      return send(sample, { ...atStore(store), ...credential })
    })
  })

  test("returns 422 for an invalid query", async () => {
    const store = await makeReadyStore()
    await enableApps(store)
    const { token, headers } = await credentialsOf(store)
    await atEach(
      "content",
      "422 validation_failed",
      (sample) => invalid(sample, { ...atStore(store), token, headers }),
      (sample) => sample.method === "GET",
    )
  })

  test("returns 500 while the database is unreachable", async () => {
    // A host that was asked for before might be remembered.
    const store = await makeReadyStore()
    await hide("site_settings")
    await atEach("content", "500 server_error", (sample) => send(sample, atStore(store)))
  })

  test.each(Object.keys(BODIES))("a body that is refused: %s", async (refusal) => {
    const store = await makeReadyStore()
    await enableApps(store)
    const { token, headers } = await credentialsOf(store)
    await atEach(
      "content",
      refusal,
      (sample) => {
        const override = BODIES[refusal]?.(sample)
        return send(sample, { ...override, ...atStore(store), token, headers: { ...headers, ...override?.headers } })
      },
      // An avatar is measured as it arrives.
      ({ id }) => id !== "profile.updateAvatar" || !refusal.startsWith("413"),
    )
  })
})

describe("the license manager", () => {
  const keyFor = ({ securitySchemes: schemes }: Sample, keys: Record<"external" | "internal", string>) => ({
    "X-API-KEY": keys[schemes.includes("vendorKey") ? "internal" : "external"],
    "X-API-URL": "https://shop.example.com",
  })

  test("refuses missing and unknown keys and missing scopes", async () => {
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    await atEach("license", "401 invalid_key", (sample) => send(sample))
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    await env.DB.exec("update license_keys set scopes = '[]'")
    await atEach("license", "403 insufficient_scope", (sample) => send(sample, { headers: keyFor(sample, keys) }))
    // The isolate caches the keys above.
    const expired = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    await env.DB.prepare("update license_keys set scopes = null, expires_at = ?")
      .bind(Date.now() - 1)
      .run()
    await atEach("license", "401 key_expired", (sample) => send(sample, { headers: keyFor(sample, expired) }))
  })

  test("returns 429 for a rate-limited license key", async () => {
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1, lm_requests_rate_limiting_method: "ip_address" })
    await call("GET", "/api/external/connection-check", { headers: { "X-API-KEY": keys.external } })
    await atEach("license", "429 rate_limited", (sample) => send(sample, { headers: keyFor(sample, keys) }))
  })

  test("returns 404 for an unknown product and license", async () => {
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    const samples = listSamples("license").filter(({ path }) => /^\/api\/internal\/.*\/(ACME-SEO|42)\b/.test(path))
    expect(samples.length).toBeGreaterThan(8)
    for (const sample of samples)
      expect.soft((await send(sample, { headers: keyFor(sample, keys) })).status, sample.id).toBe(404)
  })

  test("returns 500 of the license manager while the database is unreachable", async () => {
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    await hide("license_keys")
    await atEach("license", "500 server_error", (sample) => send(sample, { headers: { "X-API-KEY": "somebody" } }))
  })

  test.each(["400 http_error", "413 http_error"])("a body that is refused: %s", async (refusal) => {
    await setLicenseSettings({ lm_requests_rate_limiting_period: 1_000_000 })
    const keys = { external: await makeLicenseKey("external"), internal: await makeLicenseKey("internal") }
    const product = await makeProduct({ reference_id: "ACME-SEO" })
    const { versionId } = await makeVersion(product, "1.5.0")
    await atEach("license", refusal, (sample) => {
      const override = BODIES[refusal]?.(sample)
      const path = sample.path.replace("ACME-SEO-1.5.0", versionId)
      return send({ ...sample, path }, { ...override, headers: { ...keyFor(sample, keys), ...override?.headers } })
    })
  })
})

/** Renames a table, so that every query of it fails. */
const hide = (table: string) => env.DB.exec(`alter table ${table} rename to hidden`)

/** Enables every app of a store. */
async function enableApps(id: string): Promise<void> {
  const token = await makeKey()
  for (const { slug } of availableApps)
    await call("POST", `/api/platform/v1/stores/${id}/apps/${slug}/enable`, { token })
}
