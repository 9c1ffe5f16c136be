// Every write of the content API, the apps' included, with what makes it possible: for tests that go over all of them.
import { env } from "cloudflare:workers"
import { plugins } from "../../src/apps/registry"
import { type Answer, platform } from "./app"
import { operate } from "./billing-factories"
import {
  content,
  hostOfStore,
  linkIn,
  makeDevice,
  makeSettings,
  makeUser,
  PASSWORD,
  takeMail,
} from "./content-factories"
import { makeKey, makePlan, makeReadyStore } from "./factories"
import { type Media, mediaOf, upload } from "./media-factories"
import { siteRows } from "./rows"

export interface Site {
  store: string
  media: Media
  send: (method: string, path: string, user: { token?: string }, json?: unknown) => Promise<Answer>
  /** A new one of the site's users, whose address is confirmed. */
  user: (given?: Parameters<typeof makeUser>[1]) => ReturnType<typeof makeUser>
  mails: ReturnType<typeof takeMail>
}

/** Makes what a write is about, and answers the write. */
export type Make = (site: Site) => Promise<() => Promise<Answer>>

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
export async function makeSite(): Promise<Site> {
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

/** Every route that writes: what makes it possible, and the request. One that is missing here fails a test. */
export const WRITES: Record<string, Make> = {
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
export const ASKS = ["accounts.checkEmail", "billing.checkout", "billing.portal"]
