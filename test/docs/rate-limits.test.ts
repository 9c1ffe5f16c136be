// The table of rate limits in docs/guides/limits.md matches the code: each request of the table is sent, and the calls to
// the rate-limit buckets and the headers of the responses are compared with its row. It covers every operation whose
// description has a 429.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test, vi } from "vitest"
import guide from "../../docs/guides/limits.md?raw"
import { sha256 } from "../../src/lib/hash"
import { call, platform, type TestResponse } from "../support/app"
import { content, hostOfStore, PASSWORD } from "../support/content-factories"
import { makeSite, type Site, WRITES } from "../support/content-writes"
import { makeKey, makePlan } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { externalClient } from "../support/license-factories"
import { listOperations } from "../support/operations"
import { CARD_SETTINGS, mockProvider } from "../support/provider-factories"

const MINUTE_MS = 60_000

/** A call to a rate-limit bucket. */
interface BucketCall {
  method: string
  bucket: string
  limit: number
  windowMs: number
  longer: { limit: number; windowMs: number } | null
}

/**
 * Sends requests and records their calls to rate-limit buckets.
 * @param isRefused whether the buckets refuse instead of counting
 */
async function recordBuckets(send: () => Promise<TestResponse>, isRefused: boolean) {
  const calls: BucketCall[] = []
  const get = env.RATE_LIMIT.get.bind(env.RATE_LIMIT)
  const spy = vi.spyOn(env.RATE_LIMIT, "get").mockImplementation((id, ...options) => {
    const stub = get(id, ...options)
    const fetch = (url: string, init: RequestInit) => {
      const [method, limit, windowMs, longer] = JSON.parse(new Headers(init.headers).get("X-Call") ?? "[]")
      // Without the number of the test (support/storage-use.ts).
      const bucket = String(id.name).replace(/^\d+ /, "")
      calls.push({ method, bucket, limit, windowMs, longer })
      // The window is over already, so the isolate does not cache the refusal.
      return isRefused && method !== "refund"
        ? Promise.resolve(Response.json({ allowed: false, limit, remaining: 0, resetAt: Date.now() - 1 }))
        : stub.fetch(url, init)
    }
    return { fetch } as unknown as DurableObjectStub
  })
  try {
    return { response: await send(), calls }
  } finally {
    spy.mockRestore()
  }
}

/** Limits of mails. SECURITY.md lists them. */
const MAIL_BUCKET = /^mail-(reset|verify|contact_reply)\b/

/** The subject of a limit, by the name of its bucket without the id of the site. */
const SUBJECTS: [bucket: RegExp, subject: string][] = [
  [/^login-account:SITE:/, "account and site"],
  [/^webhook-account:SITE:/, "login or server token"],
  [/^(avatar-login|.+-account):SITE:/, "login"],
  [/^login-success:SITE:/, "user"],
  [/^(.+-ip|media-site):SITE:/, "network and site"],
  [/^admin-code:SITE:/, "user"],
  [/^media:SITE:/, "server token"],
  [/^(order|card|staff-invitations|contact-replies):SITE\b/, "site"],
  [/^key:/, "API key"],
  [/^(ip|.+-ip|license:ip|downloads:ip|operator-failures|password-hash|mail-request|device-\w+):/, "network"],
]

const UNITS: Record<number, string> = { [MINUTE_MS]: "minute", [60 * MINUTE_MS]: "hour", [24 * 60 * MINUTE_MS]: "day" }

function describeLimit({ bucket, limit, windowMs, longer }: BucketCall, site: string, isRefunded: boolean): string {
  const name = bucket.replace(`:${site}`, ":SITE")
  const subject = SUBJECTS.find(([pattern]) => pattern.test(name))?.[1]
  if (!subject) throw new Error(`No description of the rate limit ${name}`)
  const isCode = name.startsWith("admin-code")
  const counted = isCode
    ? " wrong codes"
    : isRefunded
      ? " failures"
      : name.startsWith("password-hash:")
        ? " passwords"
        : ""
  const longerLimit = longer ? ` and ${longer.limit} per ${UNITS[longer.windowMs]}` : ""
  return `${limit.toLocaleString("en")}${counted} per ${UNITS[windowMs]}${longerLimit} per ${subject}`
}

/** Names the `X-RateLimit` headers of a response. */
function describeHeaders({ headers }: TestResponse): string {
  const names = ["Limit", "Remaining", "Reset"].filter((name) => headers.has(`X-RateLimit-${name}`))
  return names.length === 3 ? "all" : names.map((name) => `\`${name}\``).join(", ") || "none"
}

/** Describes the limits that a request counted against. */
function describeLimits(calls: BucketCall[], site: string): string {
  const taken = calls.filter(({ method, bucket }) => method !== "refund" && !MAIL_BUCKET.test(bucket))
  const isRefunded = (name: string) => calls.some(({ method, bucket }) => method === "refund" && bucket === name)
  return [...new Set(taken.map((taking) => describeLimit(taking, site, isRefunded(taking.bucket))))].join("; ")
}

type Send = () => Promise<TestResponse>

interface Row {
  api: string
  /** Ids of the operations of the content API, or of the requests in `prepareRequests`. */
  requests: string[]
  /** The text of the cell, if it is not the list of the operations. */
  text?: string
  /** What the operations have in common, after their list. */
  note?: string
}

/** The rows of the table. Its other cells follow from the requests. */
const ROWS: Row[] = [
  { api: "Control plane", requests: ["platform"], text: "all" },
  { api: "MCP", requests: ["mcp"], text: "all, with those of the control plane" },
  { api: "Content API", requests: ["accounts.register"] },
  { api: "Content API", requests: ["accounts.logIn"], note: " without a `code`" },
  {
    api: "Content API",
    requests: ["accounts.logIn (code)"],
    note: " with a `code`, of staff with two-factor authentication",
  },
  { api: "Content API", requests: ["accounts.checkEmail"] },
  { api: "Content API", requests: ["accounts.forgotPassword", "accounts.resendVerification"] },
  { api: "Content API", requests: ["accounts.resetPassword"] },
  { api: "Content API", requests: ["profile.update"], note: " with a password" },
  { api: "Content API", requests: ["profile.delete", "profile.updatePassword"] },
  { api: "Content API", requests: ["profile.updateAvatar"] },
  { api: "Content API", requests: ["devices.register"], note: " with a login" },
  { api: "Content API", requests: ["devices.register (anonymous)"], note: " without a login" },
  { api: "Content API", requests: ["orders.place", "contact.send"] },
  { api: "Content API", requests: ["contact.reply", "staff.invite"] },
  { api: "Content API", requests: ["billing.requestOrder"] },
  { api: "Content API", requests: ["billing.checkout", "billing.portal"] },
  {
    api: "Content API",
    requests: ["storeWebhooks.create", "storeWebhooks.update", "storeWebhooks.test", "storeWebhooks.retryDelivery"],
  },
  { api: "Content API", requests: ["media (site)"], text: "`/media/*` with the site's API key" },
  { api: "Content API", requests: ["media (standard)"], text: "`/media/*` with a server token" },
  { api: "Content API", requests: ["media (internal)"], text: "`/media/*` with an internal server token" },
  { api: "License manager", requests: ["license"], text: "all" },
  { api: "License manager", requests: ["download"], text: "`GET /api/downloads/{token}`" },
  { api: "Operator API", requests: ["operator"], text: "with a wrong token" },
]

const isMedia = (path: string): boolean => path.startsWith("/media/")

const operations = listOperations("content").map(({ path, ...operation }) => ({
  ...operation,
  path: path.replace(/^\/api\/v1/, ""),
}))

const findOperation = (id: string) => operations.find((operation) => operation.id === id.replace(/ \(.*/, ""))

let site: Site
beforeEach(async () => {
  site = await makeSite()
})

const FROM = { "CF-Connecting-IP": "192.0.2.77" }

/** Prepares the login of a member of the staff with a recovery code. */
async function prepareLoginWithCode(): Promise<Send> {
  const { id, email } = await site.createUser({ isStaff: true })
  const totp = env.SITES_1.prepare(
    "insert into user_totps (site_id, user_id, secret, step, created_at) values (?, ?, '', 0, 0)",
  )
  const code = env.SITES_1.prepare("insert into user_recovery_codes (site_id, user_id, hash) values (?, ?, ?)")
  await env.SITES_1.batch([totp.bind(site.store, id), code.bind(site.store, id, await sha256("code"))])
  const host = hostOfStore(site.store)
  return () => content("POST", "/login", { host, json: { email, password: PASSWORD, code: "code" }, headers: FROM })
}

/** Prepares the requests of the rows that are not among `WRITES`. */
async function prepareRequests(): Promise<Record<string, Send>> {
  const host = hostOfStore(site.store)
  const media = (key: string) => () =>
    content("GET", "/media/folders", { host, headers: { "X-API-KEY": key, ...FROM } })
  const token = await makeKey()
  const owner = await site.createUser({ isStaff: true })
  mockProvider()
  const plan = await makePlan({ stripe_price: "price_a" })
  const pay = (path: string, json: object) => () =>
    content("POST", path, { host, token: owner.token, json, env: CARD_SETTINGS, headers: FROM })
  const external = await externalClient()
  return {
    platform: () => platform("GET", "/stores", { token, headers: FROM }),
    mcp: () =>
      call("POST", "/mcp", {
        token,
        headers: { Accept: "application/json, text/event-stream", ...FROM },
        json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "stores_list" } },
      }),
    "accounts.logIn (code)": await prepareLoginWithCode(),
    "accounts.checkEmail": () =>
      content("POST", "/email/check", { host, json: { email: "a@b.example" }, headers: FROM }),
    "devices.register (anonymous)": () =>
      content("POST", "/device-tokens", { host, json: { token: "device" }, headers: FROM }),
    "billing.checkout": pay("/billing/checkout", { plan: plan.slug }),
    "billing.portal": pay("/billing/portal", {}),
    "media (standard)": media(await makeServerKey(site.store)),
    "media (internal)": media(await makeServerKey(site.store, "internal")),
    "media (site)": media(await makeSiteKey(site.store)),
    license: () => external("GET", "/connection-check", { headers: FROM }),
    download: () => call("GET", "/api/downloads/x.y", { headers: FROM }),
    operator: () => call("GET", "/api/operator/v1", { token: "wrong", headers: FROM }),
  }
}

/** Returns the cells of a row, as its requests show them. */
async function renderRow({ api, requests, text, note = "" }: Row, prepared: Record<string, Send>): Promise<string> {
  const cells = new Set<string>()
  for (const id of requests) {
    const send = prepared[id] ?? (await WRITES[id]?.(site))
    if (!send) throw new Error(`No request for ${id}`)
    const { response: refused } = await recordBuckets(send, true)
    expect([refused.status, refused.headers.get("Retry-After")], id).toEqual([429, "1"])
    const { response, calls } = await recordBuckets(send, false)
    cells.add([describeLimits(calls, site.store), describeHeaders(response), describeHeaders(refused)].join(" | "))
  }
  expect([...cells], requests.join()).toHaveLength(1)
  const list = requests.map((id) => `\`${findOperation(id)?.method} ${findOperation(id)?.path}\``).join(", ")
  return `| ${api} | ${text ?? list + note} | ${[...cells]} |`
}

test("the table has the limits and headers of every request", async () => {
  const prepared = await prepareRequests()
  const rendered: string[] = []
  for (const row of ROWS) rendered.push(await renderRow(row, prepared))
  const [, table = ""] = /^\| API \|.*\n\| --- .*\n((?:\|.*\n)+)/m.exec(guide) ?? []
  expect(table.trimEnd().split("\n")).toEqual(rendered)
}, 60_000)

test("the table has every operation of the content API that can return 429", () => {
  const { limited, unlimited } = Object.groupBy(operations, ({ statuses }) =>
    statuses.includes(429) ? "limited" : "unlimited",
  )
  const ids = (limited ?? []).filter(({ path }) => !isMedia(path)).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(20)
  const listed = new Set(ROWS.flatMap(({ requests }) => requests.flatMap((id) => findOperation(id)?.id ?? [])))
  expect([...listed].sort()).toEqual(ids.sort())
  expect((unlimited ?? []).filter(({ path }) => isMedia(path))).toEqual([])
})

test("every operation of the control plane and the license manager can return 429", () => {
  for (const api of ["platform", "license"] as const)
    expect(listOperations(api).filter(({ statuses }) => !statuses.includes(429))).toEqual([])
})
