// Lists every write route of the content API, including the apps', with the setup it needs, for tests that run them
// all.
import { env } from "cloudflare:workers"
import { availableApps } from "../../src/apps/registry"
import { sendDueAccountMails } from "../../src/content/mails/outbox"
import { platform, run, sendOperatorCommand, type TestResponse } from "./app"
import { APP_REQUESTS } from "./app-requests"
import {
  content,
  hostOfStore,
  makeDevice,
  makeSettings,
  makeUser,
  PASSWORD,
  parseMailLink,
  recordMails,
} from "./content-factories"
import { makeKey, makePlan, makeReadyStore, makeStoreEndpoint } from "./factories"
import { reuseFixture } from "./fixture-copies"
import { makeMediaClient, upload } from "./media-factories"
import { type PrepareWrite, resourceWrite, type Site, userWrite } from "./prepared-writes"
import { mockReceiver } from "./receiver"
import { siteRows } from "./rows"
import { nextAddress, nextSerial } from "./serial"
import { makeDelivery } from "./webhook-factories"

const ANONYMOUS = {}

/** Sends every request from another address, so that no rate limit is reached. */
const createSender =
  (store: string): Site["send"] =>
  (method, path, { token }, json) =>
    content(method, path, {
      token,
      host: hostOfStore(store),
      headers: { "CF-Connecting-IP": nextAddress() },
      ...(json !== undefined && { json }),
    })

/** Creates a store with every app, address confirmation and a storage limit. */
export async function makeSite(): Promise<Site> {
  const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 100, staff_users: 0 } })
  const store = await makeReadyStore({ plan: plan.slug })
  const token = await makeKey()
  for (const { slug } of availableApps) await platform("POST", `/stores/${store}/apps/${slug}/enable`, { token })
  await makeSettings(store, { emailVerification: true })
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  return connectToSite(store)
}

/**
 * Returns a function that creates a store at its first call, and replaces all rows and files by copies of that store's
 * at later ones.
 */
export function reuseSite(make: () => Promise<Site> = makeSite): () => Promise<Site> {
  const reuseStore = reuseFixture(async () => (await make()).store)
  return async () => connectToSite(await reuseStore())
}

/** Returns the clients of a store that `makeSite` created. */
async function connectToSite(store: string): Promise<Site> {
  const media = await makeMediaClient(store)
  // The first request records the key's last use in the background.
  await media("GET", "/files")
  return {
    store,
    media,
    send: createSender(store),
    createUser: (overrides) => makeUser(store, { emailVerifiedAt: new Date(), ...overrides }),
    mails: recordMails(),
  }
}

const deviceWrite =
  (write: (site: Site, user: { token: string }, id: number, value: string) => Promise<TestResponse>): PrepareWrite =>
  async (site) => {
    const user = await site.createUser()
    await makeDevice(user)
    const [row] = await siteRows("select id, token from device_tokens where user_id = ?", user.id)
    return () => write(site, user, Number(row?.id), String(row?.token))
  }

const notificationWrite =
  (write: (site: Site, user: { token: string }, id: number) => Promise<TestResponse>): PrepareWrite =>
  async (site) => {
    await env.SITES_1.exec("update device_tokens set is_active = 0")
    const user = await site.createUser()
    await makeDevice(user)
    await sendOperatorCommand("api:send-notification", { site: site.store, title: "Sale", message: "Today" })
    const [row] = await siteRows("select max(id) as id from notification_recipients where user_id = ?", user.id)
    return () => write(site, user, Number(row?.id))
  }

/** The fields of a new post, page, category or tag. */
const newItem = async () => ({ name: `Item ${nextSerial()}` })

/** A write to a post, page, category or tag that staff have created. */
const contentWrite = (path: string, method: "PUT" | "DELETE") =>
  resourceWrite(path, newItem, ({ send }, { id, user }) =>
    send(method, `${path}/${id}`, user, method === "PUT" ? { name: `Renamed ${nextSerial()}` } : undefined),
  )

/** The creation, update and deletion of a kind of content. */
const contentWrites = (kind: string): Record<string, PrepareWrite> => ({
  [`${kind}.create`]: userWrite(async ({ send }, user) => send("POST", `/${kind}`, user, await newItem()), {
    isStaff: true,
  }),
  [`${kind}.update`]: contentWrite(`/${kind}`, "PUT"),
  [`${kind}.delete`]: contentWrite(`/${kind}`, "DELETE"),
})

const restoration =
  (path: string): PrepareWrite =>
  async (site) => {
    const user = await site.createUser({ isStaff: true })
    const { body } = await site.send("POST", path, user, await newItem())
    await site.send("PUT", `${path}/${body.data.id}`, user, { content: "Replaced" })
    return () => site.send("POST", `${path}/${body.data.id}/revisions/1/restore`, user)
  }

/** The writes to webhook endpoints, of an admin. */
function webhookWrites(): Record<string, PrepareWrite> {
  const write =
    (send: (site: Site, admin: { token: string }, id: number) => Promise<TestResponse>): PrepareWrite =>
    async (site) => {
      const admin = await site.createUser({ isStaff: true, role: "admin" })
      await env.DB.prepare("delete from webhook_endpoints where store_id = ?").bind(site.store).run()
      const { id } = await makeStoreEndpoint(site.store)
      mockReceiver()
      return () => send(site, admin, id)
    }
  const url = "https://receiver.example/hook"
  return {
    "storeWebhooks.create": write(({ send }, admin) => send("POST", "/webhooks", admin, { url, events: ["shop.*"] })),
    "storeWebhooks.update": write(({ send }, admin, id) =>
      send("PATCH", `/webhooks/${id}`, admin, { description: `Changed ${nextSerial()}` }),
    ),
    "storeWebhooks.delete": write(({ send }, admin, id) => send("DELETE", `/webhooks/${id}`, admin)),
    "storeWebhooks.rotateSecret": write(({ send }, admin, id) => send("POST", `/webhooks/${id}/rotate-secret`, admin)),
    "storeWebhooks.test": write(({ send }, admin, id) => send("POST", `/webhooks/${id}/test`, admin)),
    "storeWebhooks.retryDelivery": async (site) => {
      const admin = await site.createUser({ isStaff: true, role: "admin" })
      const { id } = await makeStoreEndpoint(site.store)
      const delivery = await makeDelivery(id, { status: "failed" })
      mockReceiver()
      return () => site.send("POST", `/webhooks/deliveries/${delivery.id}/retry`, admin)
    },
  }
}

const newEmail = () => `invited${nextSerial()}@example.com`

/** A write by an owner to another member of the staff. */
const memberWrite =
  (write: (site: Site, owner: { token: string }, id: number) => Promise<TestResponse>): PrepareWrite =>
  async (site) => {
    const owner = await site.createUser({ isStaff: true })
    const { id } = await site.createUser({ isStaff: true, role: "editor" })
    return () => write(site, owner, id)
  }

const fileWrite =
  (write: (site: Site, id: number) => Promise<TestResponse>, isTrashed = false): PrepareWrite =>
  async (site) => {
    const { body } = await upload(site.media, `file${nextSerial()}.txt`, "text")
    if (isTrashed) await site.media("PATCH", `/files/${body.id}/trash`)
    return () => write(site, body.id)
  }

const folderWrite =
  (write: (site: Site, id: number) => Promise<TestResponse>, isTrashed = false): PrepareWrite =>
  async (site) => {
    const { body } = await site.media("POST", "/folders", { json: { name: `Folder ${nextSerial()}` } })
    if (isTrashed) await site.media("PATCH", `/folders/${body.id}/trash`)
    return () => write(site, body.id)
  }

const PNG = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"), (c) =>
  c.charCodeAt(0),
)

export type { PrepareWrite, Site } from "./prepared-writes"

/** The setup and request of every write route, by operation id. faults.test.ts fails when one is missing. */
export const WRITES: Record<string, PrepareWrite> = {
  "accounts.register":
    async ({ send }) =>
    () =>
      send("POST", "/register", ANONYMOUS, {
        name: "Ada Byron",
        email: `new${nextSerial()}@example.com`,
        ...passwords("new-pass"),
      }),
  "accounts.logIn": userWrite(({ send }, { email }) =>
    send("POST", "/login", ANONYMOUS, { email, password: PASSWORD }),
  ),
  "accounts.logOut": userWrite(({ send }, user) => send("GET", "/logout", user)),
  "accounts.forgotPassword": userWrite(({ send }, { email }) => send("POST", "/password/forgot", ANONYMOUS, { email })),
  "accounts.resetPassword": async ({ send, createUser, mails }) => {
    const { email } = await createUser()
    await send("POST", "/password/forgot", ANONYMOUS, { email })
    await run((ctx) => sendDueAccountMails(ctx, "SITES_1"))
    const { token } = parseMailLink(mails.at(-1))
    return () => send("POST", "/password/reset", ANONYMOUS, { email, token, ...passwords("other-pass") })
  },
  "accounts.resendVerification": userWrite(
    ({ send }, { email }) => send("POST", "/resend-verify-account-email", ANONYMOUS, { email }),
    { emailVerifiedAt: null },
  ),
  "profile.update": userWrite(({ send }, user) =>
    send("PUT", "/me", user, { email: `moved${nextSerial()}@example.com`, current_password: PASSWORD }),
  ),
  "profile.delete": userWrite(({ send }, user) => send("DELETE", "/me", user, { current_password: PASSWORD })),
  "profile.updateAvatar": userWrite(({ store }, { token }) => {
    const body = new FormData()
    body.set("avatar", new Blob([PNG]), "me.png")
    return content("POST", "/update/avatar", { token, host: hostOfStore(store), body })
  }),
  "profile.updatePassword": userWrite(({ send }, user) =>
    send("PUT", "/update/password", user, { old_password: PASSWORD, ...passwords("other-pass") }),
  ),
  "billing.requestOrder": async ({ send, createUser }) => {
    await env.DB.exec("update orders set status = 'rejected'")
    const owner = await createUser({ isStaff: true })
    const { slug } = await makePlan()
    return () => send("POST", "/billing/orders", owner, { plan: slug })
  },
  "billing.withdrawOrder": async ({ send, createUser }) => {
    await env.DB.exec("update orders set status = 'rejected'")
    const owner = await createUser({ isStaff: true })
    const { body } = await send("POST", "/billing/orders", owner, { plan: (await makePlan()).slug })
    return () => send("DELETE", `/billing/orders/${body.data.reference}`, owner)
  },
  "staff.invite": userWrite(
    ({ send }, owner) => send("POST", "/staff/invitations", owner, { email: newEmail(), role: "editor" }),
    { isStaff: true },
  ),
  "staff.withdrawInvitation": async ({ send, createUser }) => {
    const owner = await createUser({ isStaff: true })
    const { body } = await send("POST", "/staff/invitations", owner, { email: newEmail(), role: "editor" })
    return () => send("DELETE", `/staff/invitations/${body.data.id}`, owner)
  },
  "staff.changeRole": memberWrite(({ send }, owner, id) => send("PATCH", `/staff/${id}`, owner, { role: "viewer" })),
  "staff.remove": memberWrite(({ send }, owner, id) => send("DELETE", `/staff/${id}`, owner)),
  "shop.update": userWrite(
    ({ send }, owner) =>
      send("PUT", "/shop/settings", owner, { tax_rate: 7.7, shipping: { flat_cents: nextSerial() } }),
    { isStaff: true },
  ),
  ...contentWrites("posts"),
  ...contentWrites("pages"),
  ...contentWrites("categories"),
  ...contentWrites("tags"),
  "posts.restoreRevision": restoration("/posts"),
  "pages.restoreRevision": restoration("/pages"),
  ...webhookWrites(),
  "settings.update": userWrite(({ send }, user) => send("PUT", "/settings", user, { theme: "dark" })),
  "devices.register": userWrite(({ send }, user) =>
    send("POST", "/device-tokens", user, { token: `new-${nextSerial()}` }),
  ),
  "devices.deleteByToken": deviceWrite(({ send }, user, _, token) =>
    send("DELETE", "/device-tokens/by-token", user, { token }),
  ),
  "devices.update": deviceWrite(({ send }, user, id) =>
    send("PUT", `/device-tokens/${id}`, user, { app_version: "2" }),
  ),
  "devices.delete": deviceWrite(({ send }, user, id) => send("DELETE", `/device-tokens/${id}`, user)),
  "devices.deactivate": deviceWrite(({ send }, user, id) => send("POST", `/device-tokens/${id}/deactivate`, user)),
  "notifications.markAllRead": notificationWrite(({ send }, user) =>
    send("POST", "/notifications/mark-all-read", user),
  ),
  "notifications.markDelivered": notificationWrite(({ send }, user, id) =>
    send("POST", `/notifications/${id}/delivered`, user),
  ),
  "notifications.markRead": notificationWrite(({ send }, user, id) => send("POST", `/notifications/${id}/read`, user)),
  "notifications.markClicked": notificationWrite(({ send }, user, id) =>
    send("POST", `/notifications/${id}/clicked`, user),
  ),
  "notifications.delete": notificationWrite(({ send }, user, id) => send("DELETE", `/notifications/${id}`, user)),
  "folders.create":
    async ({ media }) =>
    () =>
      media("POST", "/folders", { json: { name: `Folder ${nextSerial()}` } }),
  "folders.deleteMany": folderWrite(({ media }, id) => media("POST", "/folders/deletes", { json: { folders: [id] } })),
  "folders.update": folderWrite(({ media }, id) =>
    media("PATCH", `/folders/${id}`, { json: { name: `F ${nextSerial()}` } }),
  ),
  "folders.trash": folderWrite(({ media }, id) => media("PATCH", `/folders/${id}/trash`)),
  "folders.restore": folderWrite(({ media }, id) => media("PATCH", `/folders/${id}/restore`), true),
  "folders.delete": folderWrite(({ media }, id) => media("DELETE", `/folders/${id}`)),
  "files.upload": async ({ media }) => {
    // An upload that failed together with its clean-up keeps its storage reserved for a day.
    await env.SITES_1.exec("update media_orphans set reserved_bytes = 0")
    return () => upload(media, `file${nextSerial()}.txt`, "text")
  },
  "files.deleteMany": fileWrite(({ media }, id) => media("POST", "/files/deletes", { json: { files: [id] } })),
  "files.update": fileWrite(({ media }, id) =>
    media("PATCH", `/files/${id}`, { json: { name: `n${nextSerial()}.txt` } }),
  ),
  "files.trash": fileWrite(({ media }, id) => media("PATCH", `/files/${id}/trash`)),
  "files.restore": fileWrite(({ media }, id) => media("PATCH", `/files/${id}/restore`), true),
  "files.delete": fileWrite(({ media }, id) => media("DELETE", `/files/${id}`)),
  ...Object.assign({}, ...APP_REQUESTS.map(({ writes }) => writes)),
}

const passwords = (password: string) => ({ password, password_confirmation: password })

/** Routes with another method than GET that write nothing. */
export const NON_WRITING_ROUTES = ["accounts.checkEmail", "billing.checkout", "billing.portal"]
