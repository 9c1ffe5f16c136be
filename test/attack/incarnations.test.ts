// Deletes a store, purges it and creates it again under the same name for another owner. Credentials, links, forms,
// queued messages, cached pages and idempotency keys of the deleted store have no effect on the new one.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { recordWriteToAnySite } from "../../src/core/cache/site-writes"
import { provisionStore } from "../../src/platform/stores/provision"
import { purgeStore } from "../../src/platform/stores/remove"
import { signIn } from "../console/support"
import { type CallOptions, call, consume, platform, run, sendOperatorCommand, type TestResponse } from "../support/app"
import { collectSentMails, type SentMail } from "../support/billing-factories"
import { captureMails, content, hostOfStore, makeSettings, parseMailLink } from "../support/content-factories"
import { makeKey, makePlan } from "../support/factories"
import { takeDown } from "../support/faults"
import { makeServerKey } from "../support/key-factories"
import { checkoutMessage, deliverMessage } from "../support/provider-factories"
import { mockReceiver } from "../support/receiver"
import { count, rows, siteRows } from "../support/rows"
import { slowBody } from "../support/slow-body"
import { followSupportLink, openSupportLink, openSupportLogin } from "../support/support-logins"
import { pauseFaults } from "../support/test-faults"

const STORE = "acme"
const HOST = hostOfStore(STORE)
const DATABASE = "SITES_1"

/** One incarnation of the store, with its owner's data. */
interface Incarnation {
  seq: number
  name: string
  owner: string
  /** An API key of the control plane, and the slug of the plan that owners order. */
  key: string
  plan: string
}

/** Uses a reference to the deleted store after `later` took its name, and asserts that it has no effect. */
type UseReference = (later: Incarnation) => Promise<void>

interface ReferenceCase {
  name: string
  /** Obtains a reference to the current store and returns a function that uses it. */
  obtain(incarnation: Incarnation): Promise<UseReference>
}

const login = async ({ owner }: Incarnation): Promise<string> =>
  (await content("POST", "/login", { host: HOST, json: { email: owner, password: "correct-horse" } })).body.data.token

const site = (method: string, path: string, options: CallOptions = {}) =>
  content(method, path, { host: HOST, ...options })

/** Uses a reference that is one request, and expects the status. */
const expectStatus =
  (status: number, send: () => Promise<TestResponse>): UseReference =>
  async () =>
    expect((await send()).status).toBe(status)

/** Reads the rows of a later store that a reference might change. */
const readStoreRows = async ({ seq }: Incarnation) =>
  JSON.stringify([
    await rows("select * from stores where seq = ?", seq),
    await rows("select * from subscriptions where store_id = ?", STORE),
    await rows("select * from orders where store_seq = ?", seq),
    await rows("select * from audit_entries where store_seq = ?", seq),
    await rows("select * from usage_snapshots where store_id = ?", STORE),
    await rows("select * from site_settings where site_id = ?", STORE),
    await rows("select * from server_tokens where site_id = ?", STORE),
    await siteRows("select id, email, password_hash, email_verified_at from users where site_id = ?", STORE),
    await siteRows("select * from user_tokens where site_id = ? and support is null", STORE),
    await siteRows("select * from notifications where site_id = ?", STORE),
  ])

const REFERENCE_CASES: readonly ReferenceCase[] = [
  {
    name: "a staff member's bearer token",
    async obtain(incarnation) {
      const token = await login(incarnation)
      return expectStatus(401, () => site("PUT", "/me", { token, json: { name: "Mallory" } }))
    },
  },
  {
    name: "a staff member's billing session",
    async obtain(incarnation) {
      const cookie = `tenancy_billing=${encodeURIComponent(await login(incarnation))}`
      return async () => {
        const { text } = await call("GET", "/billing", { host: HOST, headers: { Cookie: cookie } })
        expect(text).not.toContain("/billing/sign-out")
      }
    },
  },
  {
    name: "a password reset link",
    async obtain({ owner }) {
      const mails = captureMails()
      await site("POST", "/password/forgot", { json: { email: owner } })
      const { token } = parseMailLink(mails.at(-1))
      const passwords = { password: "hijacked", password_confirmation: "hijacked" }
      return async (later) => {
        for (const email of [owner, later.owner])
          expect((await site("POST", "/password/reset", { json: { email, token, ...passwords } })).status).toBe(422)
      }
    },
  },
  {
    name: "an e-mail confirmation link",
    async obtain() {
      await makeSettings(STORE, { emailVerification: true })
      const mails = captureMails()
      const passwords = { password: "secret-pass", password_confirmation: "secret-pass" }
      await site("POST", "/register", { json: { name: "Ada Byron", email: "ada@example.com", ...passwords } })
      const { path } = parseMailLink(mails.at(-1))
      return async () => {
        await call("GET", path, { host: HOST })
        expect(await siteRows("select id from users where site_id = ? and email = 'ada@example.com'", STORE)).toEqual(
          [],
        )
      }
    },
  },
  {
    name: "a support link",
    async obtain() {
      const link = await openSupportLink(STORE)
      return async () => {
        const { response, cookie } = await followSupportLink(STORE, link)
        expect(response.status).toBe(403)
        expect(cookie).toBe("")
      }
    },
  },
  {
    name: "a support session",
    async obtain() {
      const { token } = await openSupportLogin(STORE)
      return expectStatus(401, () => site("GET", "/billing", { token }))
    },
  },
  {
    name: "the console's button that ends a support session",
    async obtain() {
      await openSupportLogin(STORE)
      const id = await env.DB.prepare("select max(id) as id from support_accesses").first("id")
      return async () =>
        expect((await (await signIn()).post(`/console/stores/${STORE}/support/${id}/end`)).status).toBe(404)
    },
  },
  {
    name: "a server token",
    async obtain() {
      const headers = { "X-API-KEY": await makeServerKey(STORE, "internal") }
      return expectStatus(401, () => site("GET", "/media/files", { headers }))
    },
  },
  {
    name: "the site's API key",
    async obtain() {
      const { body } = await sendOperatorCommand("site:api-key", { site: STORE })
      const headers = { "X-API-KEY": JSON.stringify(body).match(/tna_\w+/)?.[0] ?? "none" }
      expect((await site("GET", "/media/files", { headers })).status).toBe(200)
      return expectStatus(401, () => site("GET", "/media/files", { headers }))
    },
  },
  {
    name: "an idempotency key of a change",
    async obtain({ key }) {
      const rename = () =>
        platform("PATCH", `/stores/${STORE}`, {
          token: key,
          json: { name: "Renamed" },
          headers: { "Idempotency-Key": `rename-${key}` },
        })
      expect((await rename()).status).toBe(200)
      return async () => expect((await rename()).body.error.code).toBe("idempotency_mismatch")
    },
  },
  {
    name: "the idempotency key of the creation",
    async obtain(incarnation) {
      return async () => expect((await create(incarnation)).body.error.code).toBe("idempotency_mismatch")
    },
  },
  {
    name: "the idempotency key of the deletion",
    async obtain(incarnation) {
      return async () => expect((await remove(incarnation)).body.error.code).toBe("idempotency_mismatch")
    },
  },
  {
    name: "a console form that is sent again",
    async obtain() {
      const admin = await signIn()
      const path = `/console/stores/${STORE}/suspend`
      const page = await admin.get(path)
      const confirmation = /name="confirmation" value="([^"]+)"/.exec(page.text)?.[1] ?? ""
      const send = () => admin.post(path, { reason: "unpaid", once: "01SUSPEND", confirmation })
      expect((await send()).status).toBe(303)
      return async () => expect((await send()).status).not.toBe(303)
    },
  },
  {
    name: "a pending mail in the outbox",
    async obtain({ owner }) {
      return async (later) => {
        const mails = await collectSentMails()
        expect(mails.filter(({ to }) => to === owner)).toEqual([])
        expect(mails.map(({ to }) => to)).toEqual([later.owner])
      }
    },
  },
  {
    name: "a pending receipt in the outbox, and its order",
    async obtain(incarnation) {
      const token = await login(incarnation)
      const { body } = await site("POST", "/billing/orders", { token, json: { plan: incarnation.plan } })
      const { reference } = body.data
      expect((await sendOperatorCommand("orders:approve", { reference })).status).toBe(200)
      const receipts: SentMail[] = []
      return async (later) => {
        receipts.push(...(await collectSentMails()).filter(({ to }) => to === incarnation.owner))
        // The receipt is sent, but without a link, which would lead to the new owner's page.
        expect(receipts.map(({ text }) => text.includes(`//${HOST}`))).toEqual([false])
        const token = await login(later)
        expect((await site("GET", "/billing", { token })).body.data.orders).toEqual([])
        const cookie = `tenancy_billing=${encodeURIComponent(token)}`
        const [payment] = await rows("select number from payments where order_reference = ?", reference)
        expect(
          (await call("GET", `/billing/invoices/${payment?.number}`, { host: HOST, headers: { Cookie: cookie } }))
            .status,
        ).toBe(404)
      }
    },
  },
  {
    name: "an open order",
    async obtain(incarnation) {
      const { body } = await site("POST", "/billing/orders", {
        token: await login(incarnation),
        json: { plan: incarnation.plan },
      })
      const { reference } = body.data
      return async (later) => {
        expect((await sendOperatorCommand("orders:approve", { reference })).status).toBe(409)
        const token = await login(later)
        expect((await site("DELETE", `/billing/orders/${reference}`, { token })).status).toBe(404)
      }
    },
  },
  {
    name: "a webhook endpoint that is limited to the store",
    async obtain({ key }) {
      mockReceiver()
      const { body } = await platform("POST", "/webhooks", {
        token: key,
        json: { url: "https://receiver.example/old", events: ["*"], stores: [STORE] },
      })
      const { id } = body.data
      await platform("PATCH", `/stores/${STORE}`, { token: key, json: { name: "Sent to the old owner" } })
      const countDeliveries = async (text: string) => {
        const sent = await rows(
          "select payload from webhook_deliveries join webhook_events on webhook_events.id = webhook_deliveries.event_id where endpoint_id = ?",
          id,
        )
        return sent.filter(({ payload }) => String(payload).includes(text)).length
      }
      return async (later) => {
        await platform("PATCH", `/stores/${STORE}`, { token: later.key, json: { name: later.name } })
        await platform("POST", `/stores/${STORE}/apps/reviews/enable`, { token: later.key })
        const span = { since: "2026-01-01T00:00:00Z", until: new Date().toISOString() }
        await platform("POST", `/webhooks/${id}/recover`, { token: later.key, json: { mode: "missed", ...span } })
        await consume("tenancy-jobs", [{ job: "recovery", endpoint: id }])
        expect(await countDeliveries("Sent to the old owner")).toBeGreaterThan(0)
        expect(await countDeliveries(later.name)).toBe(0)
      }
    },
  },
  {
    name: "pages in the cache",
    async obtain({ name }) {
      const visit = async (path: string) => (await call("GET", path, { host: HOST, useIsolateCache: true })).text
      expect(await visit("/")).toContain(name)
      await visit("/api/v1/posts")
      return async (later) => {
        recordWriteToAnySite()
        const down = takeDown(env.SITES_1)
        expect(await visit("/")).not.toContain(name)
        down.restore()
        recordWriteToAnySite()
        expect(await visit("/")).toContain(later.name)
        const bothDown = takeDown(env.DB, env.SITES_1)
        recordWriteToAnySite()
        const stale = await visit("/")
        bothDown.restore()
        expect(stale).not.toContain(name)
        expect(stale).toContain(later.name)
      }
    },
  },
  {
    name: "a scheduled notification, and its messages",
    async obtain() {
      const at = new Date(Date.now() + 3_600_000).toISOString()
      await sendOperatorCommand("api:send-notification", { site: STORE, title: "Sale", message: "Today", at })
      const [row] = await siteRows("select max(id) as id from notifications where site_id = ?", STORE)
      const notification = Number(row?.id)
      return async () => {
        await consume("tenancy-jobs", [{ job: "notify", database: DATABASE, notification }])
        await consume("tenancy-push", [{ push: { database: DATABASE, notification } }])
      }
    },
  },
  {
    name: "a device, and the user it belongs to",
    async obtain(incarnation) {
      await site("POST", "/device-tokens", {
        token: await login(incarnation),
        json: { token: "device-of-the-old-owner" },
      })
      return async () => expect(await siteRows("select id from device_tokens where site_id = ?", STORE)).toEqual([])
    },
  },
  {
    name: "messages of the job queue",
    async obtain({ seq }) {
      return async (later) => {
        const before = await readStoreRows(later)
        await consume("tenancy-jobs", [
          { job: "provision", store: STORE, seq },
          { job: "purge", store: STORE, seq },
          { job: "move", store: STORE, seq },
        ])
        expect(await readStoreRows(later)).toBe(before)
      }
    },
  },
  {
    name: "a checkout of the card provider that is paid late",
    async obtain({ seq, plan }) {
      const paid = checkoutMessage(STORE, plan, Math.floor(Date.now() / 1000), `sub_of_${seq}`)
      Object.assign(paid.data.object.metadata as object, { store_seq: String(seq) })
      return async (later) => {
        const before = await readStoreRows(later)
        expect((await deliverMessage({ ...paid, id: `evt_${later.seq}` })).status).toBe(200)
        expect(await readStoreRows(later)).toBe(before)
        // The payment has no store, so the subscription is cancelled at the provider.
        expect(await count("provider_cancellations")).toBeGreaterThan(0)
      }
    },
  },
  {
    name: "a custom domain",
    async obtain() {
      await env.DB.prepare(
        `insert into domains (domain, store_id, is_primary, is_fallback, verified_at, created_at) values ('shop.example', ?, 0, 0, 1, 1)`,
      )
        .bind(STORE)
        .run()
      expect((await call("GET", "/", { host: "shop.example" })).status).toBe(200)
      return expectStatus(404, () => call("GET", "/", { host: "shop.example" }))
    },
  },
]

const create = ({ name, owner, key, plan }: Omit<Incarnation, "seq">) =>
  platform("POST", "/stores", {
    token: key,
    json: { subdomain: STORE, name, owner_email: owner, password: "correct-horse", plan, trial_days: 30 },
    headers: { "Idempotency-Key": `create-${name}` },
  })

const remove = ({ name, key }: Incarnation) =>
  platform("DELETE", `/stores/${STORE}`, {
    token: key,
    json: { confirm: STORE },
    headers: { "Idempotency-Key": `delete-${name}` },
  })

/** Creates the store for its next owner. The API key belongs to the platform, not to a store. */
async function createIncarnation(key: string, plan: string, number: number): Promise<Incarnation> {
  const incarnation = { name: `Incarnation-${number}`, owner: `owner${number}@example.com`, key, plan }
  expect((await create(incarnation)).status).toBe(202)
  await run((ctx) => provisionStore(ctx, STORE))
  const [row] = await rows("select seq from stores where id = ?", STORE)
  return { ...incarnation, seq: Number(row?.seq) }
}

async function deleteIncarnation(incarnation: Incarnation): Promise<void> {
  expect((await remove(incarnation)).status).toBe(204)
  // The name is taken until the rows are purged.
  expect((await create({ ...incarnation, name: `Too-early-${incarnation.name}` })).body.error.code).toBe(
    "subdomain_taken",
  )
  await run((ctx) => purgeStore(ctx, STORE))
  expect(await count("purges")).toBe(0)
  const left = await Promise.all(
    ["users", "user_tokens", "reset_tokens", "mailed_tokens", "device_tokens", "notifications"].map((table) =>
      siteRows(`select * from ${table} where site_id = ?`, STORE),
    ),
  )
  expect(left.flat()).toEqual([])
}

// lint: each case's `use` asserts
test.each(REFERENCE_CASES)("has no effect at the next store of the name: $name", async ({ obtain }) => {
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  const [key, { slug }] = [await makeKey(), await makePlan()]
  const first = await createIncarnation(key, slug, 1)
  const use = await obtain(first)
  await deleteIncarnation(first)
  const second = await createIncarnation(key, slug, 2)
  await use(second)
  await deleteIncarnation(second)
  // The reference has no effect on the third store of the name either.
  const third = await createIncarnation(key, slug, 3)
  await use(third)
})

test.each([0, 5_000])(
  "writes nothing into a later store when the body of a request arrives %i ms after its store was replaced",
  async (delay) => {
    vi.useFakeTimers({ toFake: ["Date"] })
    await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
    const [key, { slug }] = [await makeKey(), await makePlan()]
    const first = await createIncarnation(key, slug, 1)
    const cookie = `tenancy_billing=${encodeURIComponent(await login(first))}`
    const form = { Cookie: cookie, "Content-Type": "application/x-www-form-urlencoded", Origin: `http://${HOST}` }
    const passwords = { password: "attackers-pass", password_confirmation: "attackers-pass" }
    const registration = (email: string) => slowBody(JSON.stringify({ name: "Mallory M", email, ...passwords }))
    const order = slowBody(new URLSearchParams({ plan: slug, note: "by the old owner" }).toString())
    const [early, late] = [registration("owner2@example.com"), registration("mallory@example.com")]
    const json = { "Content-Type": "application/json" }
    const send = (path: string, headers: Record<string, string>, { body }: { body: ReadableStream }) =>
      call("POST", path, { host: HOST, headers, body })
    const responses = [
      send("/billing/orders", form, order),
      send("/api/v1/register", json, early),
      send("/api/v1/register", json, late),
    ]
    await Promise.all([order, early, late].map(({ arrived }) => arrived))
    await deleteIncarnation(first)
    vi.setSystemTime(Date.now() + delay)
    early.finish()
    expect((await responses[1])?.status).toBe(404)
    const second = await createIncarnation(key, slug, 2)
    const before = await readStoreRows(second)
    order.finish()
    late.finish()
    expect((await Promise.all([responses[0], responses[2]])).map((response) => response?.status)).toEqual([401, 404])
    expect(await readStoreRows(second)).toBe(before)
    vi.useRealTimers()
  },
)

test("stores no upload of an earlier store's operator or key in a later store", async () => {
  // An upload that a fault repeats after the deletion has a deleted key.
  pauseFaults()
  const [key, { slug }] = [await makeKey(), await makePlan()]
  const first = await createIncarnation(key, slug, 1)
  const [admin, token] = [await signIn(), await makeServerKey(STORE, "internal")]
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="old.csv"\r\n\r\na,b\r\n--x--\r\n'
  const type = { "Content-Type": "multipart/form-data; boundary=x" }
  const [byKey, byOperator] = [slowBody(part), slowBody(part)]
  // Loads the surface, so that the upload reaches the gate before the store is deleted; signing in loaded the console.
  await loadContentRoutes()
  const responses = [
    call("POST", "/api/v1/media/files", { host: HOST, headers: { ...type, "X-API-KEY": token }, body: byKey.body }),
    call("POST", `/console/sites/${STORE}/media/files`, {
      headers: { ...type, Cookie: admin.cookie, "Sec-Fetch-Site": "same-origin" },
      body: byOperator.body,
    }),
  ]
  await Promise.all([byKey.arrived, byOperator.arrived])
  await deleteIncarnation(first)
  await createIncarnation(key, slug, 2)
  byKey.finish()
  byOperator.finish()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([404, 404])
  expect(await siteRows("select name from media_files where site_id = ?", STORE)).toEqual([])
  expect(await siteRows("select path from media_orphans where site_id = ?", STORE)).toEqual([])
})

test("refuses the forms of console pages that were opened before the current store was created", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const [key, { slug }] = [await makeKey(), await makePlan()]
  const first = await createIncarnation(key, slug, 1)
  const admin = await signIn()
  const page = async (path: string) => (await admin.get(path)).text
  const findOnceKey = (text: string, action: string) =>
    new RegExp(`action="${action}"[^>]*>\\s*<input type="hidden" name="once" value="(\\w{26})"`).exec(text)?.[1] ?? ""
  const text = await page(`/console/stores/${STORE}`)
  const once = (verb: string) => findOnceKey(text, `/console/stores/${STORE}/${verb}`)
  const onceToSuspend = findOnceKey(await page(`/console/stores/${STORE}/suspend`), `/console/stores/${STORE}/suspend`)
  const uploadTo = /action="([^"]+\?shown_at=\d+)"/.exec(await page(`/console/sites/${STORE}/media`))?.[1] ?? ""
  expect([onceToSuspend, once("edit"), uploadTo].every(Boolean)).toBe(true)
  await deleteIncarnation(first)
  vi.setSystemTime(Date.now() + 60_000)
  const second = await createIncarnation(key, slug, 2)
  const before = await readStoreRows(second)
  const path = `/console/stores/${STORE}`
  const form = new FormData()
  form.set("file", new Blob(["a"]), "a.txt")
  const headers = { Cookie: admin.cookie, "Sec-Fetch-Site": "same-origin" }
  const responses = [
    await admin.post(`${path}/suspend`, { once: onceToSuspend }),
    await admin.post(`${path}/delete`, { once: onceToSuspend, confirm: STORE }),
    await admin.post(`${path}/edit`, { once: once("edit"), owner_email: first.owner }),
    await admin.post(`/console/sites/${STORE}/settings/key`, { once: onceToSuspend }),
    await admin.post("/console/stores/bulk", {
      once: onceToSuspend,
      action: "suspend",
      stores: STORE,
    }),
    await call("POST", uploadTo, { headers, body: form }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 409])
  expect(responses[0]?.text).toContain("This store was replaced")
  expect(await readStoreRows(second)).toBe(before)
  expect((await admin.confirm(`${path}/suspend`)).status).toBe(303)
  vi.useRealTimers()
})

test("leaves each later store unchanged when references to three deleted stores of its name are used", async () => {
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  const [key, { slug }] = [await makeKey(), await makePlan()]
  const repeatable = REFERENCE_CASES.filter(({ name }) => !/mail|receipt|pages|webhook|order|form/.test(name))
  let incarnation = await createIncarnation(key, slug, 0)
  const uses: UseReference[] = []
  for (const [index, { obtain }] of repeatable.entries()) {
    uses.push(await obtain(incarnation))
    await deleteIncarnation(incarnation)
    incarnation = await createIncarnation(key, slug, index + 1)
    const before = await readStoreRows(incarnation)
    for (const use of uses.slice(-3)) await use(incarnation)
    expect(await readStoreRows(incarnation)).toBe(before)
  }
}, 180_000)
