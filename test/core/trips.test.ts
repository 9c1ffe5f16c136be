// How far a request travels: two trips in sequence for any read of the control plane and the content API, three for any write, the
// caller's key or token and the budgets included. Routes are found from the code, so that a new one is held to it.
import { expect, test } from "vitest"
import { contentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/route"
import { platform as platformApp } from "../../src/platform/app"
import { type Answer, platform } from "../support/app"
import { makeCategory, makePage, makePost, makeTag } from "../support/blog-factories"
import { ASKS, WRITES as CONTENT_WRITES, makeSite, type Site } from "../support/content-writes"
import { makeEndpoint, makeKey } from "../support/factories"
import { upload } from "../support/media-factories"
import { WRITES as PLATFORM_WRITES, subscribed } from "../support/platform-writes"
import { receive } from "../support/receiver"
import { rows, siteRows } from "../support/rows"
import { sequenceOf } from "../support/sequence"
import { makeDelivery } from "../support/webhook-factories"

const READ = 2
const WRITE = 3

/** What takes more, and why. */
const LONGER: Record<string, [trips: number, reason: string]> = {
  "events.list": [3, "without a cursor it is first asked where the log begins"],
  "deliveries.retry": [4, "the attempt is reserved before it is made, and settled after"],
  "webhooks.test": [4, "likewise"],
  "webhooks.recover": [4, "what is to be recovered is counted, for an answer that says how much it is"],
  "profile.updateAvatar": [5, "a file is read for a known user only, and noted before its bytes are stored"],
  "billing.requestOrder": [4, "who asks is in the site's database, the order in the central one"],
  "billing.withdrawOrder": [4, "who asks is in the site's database, the order in the central one"],
  "files.upload": [4, "bytes are noted before they are stored"],
  "orders.place": [4, "a token is looked up before it is counted, so that none is counted that was made up"],
  "contact.send": [4, "likewise"],
}

type Asked = Record<string, () => Promise<Answer>>

/** Every read of the control plane. */
async function platformReads(): Promise<Asked> {
  const store = await subscribed()
  const token = await makeKey()
  const { id: endpoint } = await makeEndpoint()
  const { id: delivery } = await makeDelivery(endpoint)
  const [event] = await rows("select id from webhook_events limit 1")
  const [plan] = await rows("select slug from plans limit 1")
  const paths: Record<string, string> = {
    "platform.get": "/platform",
    "me.get": "/me",
    "plans.list": "/plans",
    "plans.get": `/plans/${plan?.slug}`,
    "stores.list": "/stores",
    "stores.get": `/stores/${store}`,
    "subscriptions.get": `/stores/${store}/subscription`,
    "usage.get": `/stores/${store}/usage`,
    "audit.list": `/stores/${store}/events`,
    "domains.list": `/stores/${store}/domains`,
    "apps.list": `/stores/${store}/apps`,
    "deliveries.list": `/webhooks/${endpoint}/deliveries`,
    "deliveries.get": `/webhooks/deliveries/${delivery}`,
    "deliveries.attempts": `/webhooks/deliveries/${delivery}/attempts`,
    "webhooks.list": "/webhooks",
    "webhooks.get": `/webhooks/${endpoint}`,
    "webhooks.stats": `/webhooks/${endpoint}/stats`,
    "events.list": "/events",
    "events.get": `/events/${event?.id}`,
  }
  return asked(paths, (path) => platform("GET", path, { token }))
}

/** Every read of the content API. */
async function contentReads(site: Site): Promise<Asked> {
  const { store, send, media } = site
  const staff = await site.user({ isStaff: true })
  const category = await makeCategory({ site: store })
  const tag = await makeTag({ site: store })
  const post = await makePost({ site: store, categories: category.slug })
  const page = await makePage({ site: store })
  const folder = await media("POST", "/folders", { json: { name: "Folder" } })
  await upload(media, "a.txt", "text")
  const [product] = await siteRows("select id from products where site_id = ? and stock is null limit 1", store)
  const make = async (path: string, json: object) => (await send("POST", path, staff, json)).body.data.id as number
  const order = await make("/orders", { items: [{ product_id: product?.id, quantity: 1 }] })
  const gallery = await make("/galleries", { name: "Gallery", pictures: [{ image: "/media/1.jpg" }] })
  const message = await make("/contact", { message: "Hello" })
  const paths: Record<string, string> = {
    "profile.get": "/me",
    "billing.read": "/billing",
    "billing.listOrders": "/billing/orders",
    "settings.get": "/settings",
    "devices.list": "/device-tokens",
    "notifications.list": "/notifications",
    "notifications.stats": "/notifications/stats",
    "posts.list": "/posts?include=categories,tags,author",
    "posts.get": `/posts/${post.slug}?include=author`,
    "categories.list": "/categories",
    "categories.get": `/categories/${category.slug}`,
    "tags.list": "/tags",
    "tags.get": `/tags/${tag.slug}`,
    "pages.list": "/pages",
    "pages.get": `/pages/${page.slug}`,
    "products.list": "/products",
    "products.get": `/products/${product?.id}`,
    "orders.list": "/orders",
    "orders.get": `/orders/${order}`,
    "reviews.list": `/reviews?product_id=${product?.id}`,
    "galleries.list": "/galleries",
    "galleries.get": `/galleries/${gallery}`,
    "contact.list": "/contact",
    "contact.get": `/contact/${message}`,
  }
  const ofMedia: Record<string, string> = {
    "folders.list": "/folders",
    "folders.get": `/folders/${folder.body.id}`,
    "files.list": "/files",
  }
  return {
    ...asked(paths, (path) => send("GET", path, staff)),
    ...asked(ofMedia, (path) => media("GET", path)),
  }
}

const asked = (paths: Record<string, string>, ask: (path: string) => Promise<Answer>): Asked =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => ask(path)]))

/** Holds a request to its trips. */
async function hold(name: string, most: number, ask: () => Promise<Answer>): Promise<void> {
  const { status, text, trips, asked } = await sequenceOf(ask)
  expect.soft([name, status, status < 300 || text]).toEqual([name, status, true])
  const [allowed] = LONGER[name] ?? [most]
  // An exception that is no longer needed is one too many.
  const isHeld = LONGER[name] ? trips === allowed : trips <= allowed
  expect.soft([name, allowed, isHeld || [trips, ...asked]]).toEqual([name, allowed, true])
}

const namesOf = (routes: ReturnType<typeof routeTable>, isRead: boolean) =>
  routes.filter(({ method, id }) => (method === "GET" && id !== "accounts.logOut") === isRead).map(({ id }) => id)

test("a read of the control plane takes two trips", async () => {
  const reads = await platformReads()
  for (const [name, ask] of Object.entries(reads)) await hold(name, READ, ask)
  expect(Object.keys(reads).sort()).toEqual(namesOf(routeTable(platformApp), true).sort())
})

test("a write of the control plane takes three trips", async () => {
  const token = await makeKey()
  for (const [name, make] of Object.entries(PLATFORM_WRITES)) {
    receive()
    const { verb, path, json } = await make()
    await hold(name, WRITE, () => platform(verb, path, { token, json }))
  }
  expect(Object.keys(PLATFORM_WRITES).sort()).toEqual(namesOf(routeTable(platformApp), false).sort())
})

test("a read of the content API takes two trips", async () => {
  const reads = await contentReads(await makeSite())
  for (const [name, ask] of Object.entries(reads)) await hold(name, READ, ask)
  expect(Object.keys(reads).sort()).toEqual(namesOf(routeTable(await contentRoutes()), true).sort())
})

test("a write of the content API takes three trips", async () => {
  const site = await makeSite()
  for (const [name, make] of Object.entries(CONTENT_WRITES)) await hold(name, WRITE, await make(site))
  const names = [...Object.keys(CONTENT_WRITES), ...ASKS]
  expect(names.sort()).toEqual(namesOf(routeTable(await contentRoutes()), false).sort())
})
