// A database that fails under a write of the content API, the apps' included, at each of its trips, before it or after: the change and
// its entry in the trail are all there, or nothing is.
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { contentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/route"
import { plugins } from "../../src/plugins/catalog"
import { type Answer, platform } from "../support/app"
import { operate } from "../support/billing-factories"
import {
  content,
  hostOfStore,
  linkIn,
  makeDevice,
  makeSettings,
  makeUser,
  PASSWORD,
  takeMail,
} from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { keysOf, type Media, mediaOf, upload } from "../support/media-factories"
import { siteRows } from "../support/rows"
import { holdWhole } from "../support/whole"

interface Site {
  store: string
  media: Media
  send: (method: string, path: string, user: { token?: string }, json?: unknown) => Promise<Answer>
  /** A new one of the site's users, whose address is confirmed. */
  user: (given?: Parameters<typeof makeUser>[1]) => ReturnType<typeof makeUser>
  mails: ReturnType<typeof takeMail>
}

/** Makes what a write is about, and answers the write. */
type Make = (site: Site) => Promise<() => Promise<Answer>>

let serial = 0
const nobody = {}

/** A request of an address of its own, so that no limit of attempts is met. */
const send =
  (store: string): Site["send"] =>
  (method, path, { token }, json) =>
    content(method, path, {
      token,
      host: hostOfStore(store),
      headers: { "CF-Connecting-IP": `198.51.${++serial >> 8}.${serial & 255}` },
      ...(json !== undefined && { json }),
    })

/** A store with every app, whose users confirm their addresses, and whose plan counts its files. */
async function makeSite(): Promise<Site> {
  const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 100, staff_users: 0 } })
  const store = await makeReadyStore({ plan: plan.slug })
  const token = await makeKey()
  for (const { slug } of plugins) await platform("POST", `/stores/${store}/apps/${slug}/enable`, { token })
  await makeSettings(store, { emailVerification: true })
  await operate("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  const media = await mediaOf(store)
  // The first use of a key is noted behind the answer.
  await media("GET", "/files")
  return {
    store,
    media,
    send: send(store),
    user: (given) => makeUser(store, { emailVerifiedAt: new Date(), ...given }),
    mails: takeMail(),
  }
}

/** A write of a new user. */
const ofUser =
  (write: (site: Site, user: Awaited<ReturnType<Site["user"]>>) => Promise<Answer>, given = {}): Make =>
  async (site) => {
    const user = await site.user(given)
    return () => write(site, user)
  }

/** A write of the staff about something that they, or a customer, made. */
const ofMade =
  (
    path: string,
    json: (site: Site) => Promise<unknown>,
    write: (site: Site, made: { id: number; user: { token: string } }) => Promise<Answer>,
  ): Make =>
  async (site) => {
    const user = await site.user({ isStaff: true })
    const { body } = await site.send("POST", path, user, await json(site))
    return () => write(site, { id: body.data.id, user })
  }

const newProduct = () => ({ name: `Bowl ${++serial}`, price_cents: 100, currency: "EUR", stock: 9 })

async function makeProduct({ user, send }: Site): Promise<number> {
  return (await send("POST", "/products", await user({ isStaff: true }), newProduct())).body.data.id
}

const ofDevice =
  (write: (site: Site, user: { token: string }, id: number, value: string) => Promise<Answer>): Make =>
  async (site) => {
    const user = await site.user()
    await makeDevice(user)
    const [row] = await siteRows("select id, token from device_tokens where user_id = ?", user.id)
    return () => write(site, user, Number(row?.id), String(row?.token))
  }

const ofNotification =
  (write: (site: Site, user: { token: string }, id: number) => Promise<Answer>): Make =>
  async (site) => {
    await env.SITES_1.exec("update device_tokens set is_active = 0")
    const user = await site.user()
    await makeDevice(user)
    await operate("api:send-notification", { site: site.store, title: "Sale", message: "Today" })
    const [row] = await siteRows("select max(id) as id from notification_recipients where user_id = ?", user.id)
    return () => write(site, user, Number(row?.id))
  }

const ofFile =
  (write: (site: Site, id: number) => Promise<Answer>, isTrashed = false): Make =>
  async (site) => {
    const { body } = await upload(site.media, `file${++serial}.txt`, "text")
    if (isTrashed) await site.media("PATCH", `/files/${body.id}/trash`)
    return () => write(site, body.id)
  }

const ofFolder =
  (write: (site: Site, id: number) => Promise<Answer>, isTrashed = false): Make =>
  async (site) => {
    const { body } = await site.media("POST", "/folders", { json: { name: `Folder ${++serial}` } })
    if (isTrashed) await site.media("PATCH", `/folders/${body.id}/trash`)
    return () => write(site, body.id)
  }

const PNG = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"), (c) =>
  c.charCodeAt(0),
)

/** Every route that writes: what makes it possible, and the request. One that is missing here fails the last test. */
const WRITES: Record<string, Make> = {
  "accounts.register":
    async ({ send }) =>
    () =>
      send("POST", "/register", nobody, {
        name: "Ada Byron",
        email: `new${++serial}@example.com`,
        ...passwords("new-pass"),
      }),
  "accounts.logIn": ofUser(({ send }, { email }) => send("POST", "/login", nobody, { email, password: PASSWORD })),
  "accounts.logOut": ofUser(({ send }, user) => send("GET", "/logout", user)),
  "accounts.forgotPassword": ofUser(({ send }, { email }) => send("POST", "/password/forgot", nobody, { email })),
  "accounts.resetPassword": async ({ send, user, mails }) => {
    const { email } = await user()
    await send("POST", "/password/forgot", nobody, { email })
    const { token } = linkIn(mails.at(-1))
    return () => send("POST", "/password/reset", nobody, { email, token, ...passwords("other-pass") })
  },
  "accounts.resendVerification": ofUser(
    ({ send }, { email }) => send("POST", "/resend-verify-account-email", nobody, { email }),
    { emailVerifiedAt: null },
  ),
  "profile.update": ofUser(({ send }, user) =>
    send("PUT", "/me", user, { email: `moved${++serial}@example.com`, current_password: PASSWORD }),
  ),
  "profile.updateAvatar": ofUser(({ store }, { token }) => {
    const body = new FormData()
    body.set("avatar", new Blob([PNG]), "me.png")
    return content("POST", "/update/avatar", { token, host: hostOfStore(store), body })
  }),
  "profile.updatePassword": ofUser(({ send }, user) =>
    send("PUT", "/update/password", user, { old_password: PASSWORD, ...passwords("other-pass") }),
  ),
  "billing.requestOrder": async ({ send, user }) => {
    await env.DB.exec("update orders set status = 'rejected'")
    const owner = await user({ isStaff: true })
    const { slug } = await makePlan()
    return () => send("POST", "/billing/orders", owner, { plan: slug })
  },
  "billing.withdrawOrder": async ({ send, user }) => {
    await env.DB.exec("update orders set status = 'rejected'")
    const owner = await user({ isStaff: true })
    const { body } = await send("POST", "/billing/orders", owner, { plan: (await makePlan()).slug })
    return () => send("DELETE", `/billing/orders/${body.data.reference}`, owner)
  },
  "settings.update": ofUser(({ send }, user) => send("PUT", "/settings", user, { theme: "dark" })),
  "devices.register": ofUser(({ send }, user) => send("POST", "/device-tokens", user, { token: `new-${++serial}` })),
  "devices.deleteByToken": ofDevice(({ send }, user, _, token) =>
    send("DELETE", "/device-tokens/by-token", user, { token }),
  ),
  "devices.update": ofDevice(({ send }, user, id) => send("PUT", `/device-tokens/${id}`, user, { app_version: "2" })),
  "devices.delete": ofDevice(({ send }, user, id) => send("DELETE", `/device-tokens/${id}`, user)),
  "devices.deactivate": ofDevice(({ send }, user, id) => send("POST", `/device-tokens/${id}/deactivate`, user)),
  "notifications.markAllRead": ofNotification(({ send }, user) => send("POST", "/notifications/mark-all-read", user)),
  "notifications.markDelivered": ofNotification(({ send }, user, id) =>
    send("POST", `/notifications/${id}/delivered`, user),
  ),
  "notifications.markRead": ofNotification(({ send }, user, id) => send("POST", `/notifications/${id}/read`, user)),
  "notifications.markClicked": ofNotification(({ send }, user, id) =>
    send("POST", `/notifications/${id}/clicked`, user),
  ),
  "notifications.delete": ofNotification(({ send }, user, id) => send("DELETE", `/notifications/${id}`, user)),
  "folders.create":
    async ({ media }) =>
    () =>
      media("POST", "/folders", { json: { name: `Folder ${++serial}` } }),
  "folders.deleteMany": ofFolder(({ media }, id) => media("POST", "/folders/deletes", { json: { folders: [id] } })),
  "folders.update": ofFolder(({ media }, id) => media("PATCH", `/folders/${id}`, { json: { name: `F ${++serial}` } })),
  "folders.trash": ofFolder(({ media }, id) => media("PATCH", `/folders/${id}/trash`)),
  "folders.restore": ofFolder(({ media }, id) => media("PATCH", `/folders/${id}/restore`), true),
  "folders.delete": ofFolder(({ media }, id) => media("DELETE", `/folders/${id}`)),
  "files.upload":
    async ({ media }) =>
    () =>
      upload(media, `file${++serial}.txt`, "text"),
  "files.deleteMany": ofFile(({ media }, id) => media("POST", "/files/deletes", { json: { files: [id] } })),
  "files.update": ofFile(({ media }, id) => media("PATCH", `/files/${id}`, { json: { name: `n${++serial}.txt` } })),
  "files.trash": ofFile(({ media }, id) => media("PATCH", `/files/${id}/trash`)),
  "files.restore": ofFile(({ media }, id) => media("PATCH", `/files/${id}/restore`), true),
  "files.delete": ofFile(({ media }, id) => media("DELETE", `/files/${id}`)),
  "products.create": ofUser(({ send }, user) => send("POST", "/products", user, newProduct()), { isStaff: true }),
  "products.update": ofMade(
    "/products",
    async () => newProduct(),
    ({ send }, { id, user }) => send("PUT", `/products/${id}`, user, { name: "Renamed", stock: 3 }),
  ),
  "products.delete": ofMade(
    "/products",
    async () => newProduct(),
    ({ send }, { id, user }) => send("DELETE", `/products/${id}`, user),
  ),
  "orders.place": async (site) => {
    const items = [{ product_id: await makeProduct(site), quantity: 2 }]
    const customer = await site.user()
    return () => site.send("POST", "/orders", customer, { items })
  },
  "orders.move": ofMade(
    "/orders",
    async (site) => ({ items: [{ product_id: await makeProduct(site), quantity: 2 }] }),
    ({ send }, { id, user }) => send("PUT", `/orders/${id}`, user, { status: "cancelled" }),
  ),
  "reviews.create": async (site) => {
    const product_id = await makeProduct(site)
    const customer = await site.user()
    return () => site.send("POST", "/reviews", customer, { product_id, rating: 4 })
  },
  "reviews.update": ofMade("/reviews", newReview, ({ send }, { id, user }) =>
    send("PUT", `/reviews/${id}`, user, { rating: 1 }),
  ),
  "reviews.delete": ofMade("/reviews", newReview, ({ send }, { id, user }) => send("DELETE", `/reviews/${id}`, user)),
  "galleries.create": ofUser(({ send }, user) => send("POST", "/galleries", user, newGallery()), { isStaff: true }),
  "galleries.update": ofMade(
    "/galleries",
    async () => newGallery(),
    ({ send }, { id, user }) =>
      send("PUT", `/galleries/${id}`, user, { name: "Other", pictures: [{ image: "/media/2.jpg" }] }),
  ),
  "galleries.delete": ofMade(
    "/galleries",
    async () => newGallery(),
    ({ send }, { id, user }) => send("DELETE", `/galleries/${id}`, user),
  ),
  "contact.send": ofUser(({ send }, user) => send("POST", "/contact", user, { message: "Hello" })),
  "contact.update": ofMade(
    "/contact",
    async () => ({ message: "Hello" }),
    ({ send }, { id, user }) => send("PUT", `/contact/${id}`, user, { status: "read" }),
  ),
  "contact.delete": ofMade(
    "/contact",
    async () => ({ message: "Hello" }),
    ({ send }, { id, user }) => send("DELETE", `/contact/${id}`, user),
  ),
}

const passwords = (password: string) => ({ password, password_confirmation: password })
const newGallery = () => ({ name: `Gallery ${++serial}`, pictures: [{ image: "/media/1.jpg" }] })
async function newReview(site: Site) {
  return { product_id: await makeProduct(site), rating: 4 }
}

/** Verbs that only ask. */
const READS = ["accounts.checkEmail", "billing.checkout", "billing.portal"]

/** What users do with what is theirs leaves no entry; what a key or the staff of a store do through billing and media does. */
const LEAVES_TRAIL = /^(files|folders|billing)\./

/** An upload notes its bytes before a row speaks for them, and a sweep finds what it left. */
const NOTED_ON_THE_WAY: Record<string, string[]> = {
  "files.upload": ["media_orphans"],
  "profile.updateAvatar": ["media_orphans"],
}

let site: Site
beforeEach(async () => {
  site = await makeSite()
})
afterEach(() => void vi.restoreAllMocks())

test.each(Object.entries(WRITES))("%s is made whole or not at all", async (name, make) => {
  const made = await holdWhole(() => make(site), { ignored: NOTED_ON_THE_WAY[name] })
  expect(Object.keys(made).filter((table) => table !== "trail").length).toBeGreaterThan(0)
  expect([name, "trail" in made]).toEqual([name, LEAVES_TRAIL.test(name)])
  // No bytes are left that nothing speaks for: neither a row of a file nor a note for the sweep.
  const known = await siteRows(
    "select path from media_files union select path from media_orphans union select avatar from users where avatar is not null",
  )
  const paths = new Set(known.map(({ path }) => `${site.store}/${path}`))
  expect((await keysOf(site.store)).filter((key) => !paths.has(key))).toEqual([])
})

test("no write route is left out", async () => {
  const names = routeTable(await contentRoutes())
    .filter(({ method, id }) => method !== "GET" || id === "accounts.logOut")
    .map(({ id }) => id)
  expect([...Object.keys(WRITES), ...READS].sort()).toEqual(names.sort())
})
