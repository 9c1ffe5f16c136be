// Prepares a request for every read of the control plane and the content API, by the id of its route.
import type { TestResponse } from "./app"
import { platform } from "./app"
import { APP_REQUESTS, createAppItems } from "./app-requests"
import { makeCategory, makePage, makePost, makeTag } from "./blog-factories"
import type { Site } from "./content-writes"
import { makeEndpoint, makeKey, makeStoreEndpoint } from "./factories"
import { upload } from "./media-factories"
import { makeSubscribedStore } from "./platform-writes"
import { rows } from "./rows"
import { makeDelivery } from "./webhook-factories"

export type ReadRequests = Record<string, () => Promise<TestResponse>>

/** Prepares every read of the control plane. */
export async function preparePlatformReads(): Promise<ReadRequests> {
  const store = await makeSubscribedStore()
  const token = await makeKey()
  const { id: endpoint } = await makeEndpoint()
  const { id: delivery } = await makeDelivery(endpoint)
  const [event] = await rows("select id from webhook_events limit 1")
  const [plan] = await rows("select slug from plans limit 1")
  const [key] = await rows("select id from api_keys limit 1")
  await platform("POST", "/coupons", { token, json: { code: "SPRING", trial_days: 30 } })
  const paths: Record<string, string> = {
    "platform.get": "/platform",
    "me.get": "/me",
    "plans.list": "/plans",
    "plans.get": `/plans/${plan?.slug}`,
    "keys.list": "/keys",
    "keys.get": `/keys/${key?.id}`,
    "coupons.list": "/coupons",
    "coupons.get": "/coupons/SPRING",
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
  return createRequests(paths, (path) => platform("GET", path, { token }))
}

/** Prepares every read of the content API. */
export async function prepareContentReads(site: Site): Promise<ReadRequests> {
  const { store, send, media } = site
  const staff = await site.createUser({ isStaff: true })
  const category = await makeCategory({ site: store })
  const tag = await makeTag({ site: store })
  const post = await makePost({ site: store, categories: category.slug })
  const page = await makePage({ site: store })
  const endpoint = await makeStoreEndpoint(store)
  const [event] = await rows("select id from webhook_events where type = 'store.created' and store_id = ?", store)
  const folder = await media("POST", "/folders", { json: { name: "Folder" } })
  await upload(media, "a.txt", "text")
  const createAs = (user: { token: string }) => async (path: string, json: object) =>
    (await send("POST", path, user, json)).body.data
  const customer = await site.createUser()
  const items = await createAppItems(
    { staff: createAs(staff), customer: createAs(customer) },
    { secret: "Secret", personal: "Personal" },
  )
  const paths: Record<string, string> = {
    "profile.get": "/me",
    "billing.read": "/billing",
    "billing.listOrders": "/billing/orders",
    "staff.list": "/staff",
    "staff.listInvitations": "/staff/invitations",
    "shop.get": "/shop/settings",
    "storeWebhooks.list": "/webhooks",
    "storeWebhooks.get": `/webhooks/${endpoint.id}`,
    "storeWebhooks.listDeliveries": `/webhooks/${endpoint.id}/deliveries`,
    "storeWebhooks.getEvent": `/webhooks/events/${event?.id}`,
    "settings.get": "/settings",
    "devices.list": "/device-tokens",
    "notifications.list": "/notifications",
    "notifications.stats": "/notifications/stats",
    "posts.list": "/posts?include=categories,tags,author",
    "posts.get": `/posts/${post.slug}?include=author`,
    "posts.filter": "/posts/filters?search=post&order_by=title",
    "categories.filter": "/categories/filters?search=c",
    "posts.listRevisions": `/posts/${post.slug}/revisions`,
    "pages.listRevisions": `/pages/${page.slug}/revisions`,
    "search.search": "/search?q=post",
    "categories.list": "/categories",
    "categories.get": `/categories/${category.slug}`,
    "tags.list": "/tags",
    "tags.get": `/tags/${tag.slug}`,
    "pages.list": "/pages",
    "pages.get": `/pages/${page.slug}`,
    ...Object.assign({}, ...APP_REQUESTS.map((app) => app.reads(items))),
  }
  const mediaPaths: Record<string, string> = {
    "folders.list": "/folders",
    "folders.get": `/folders/${folder.body.id}`,
    "files.list": "/files",
  }
  return {
    ...createRequests(paths, (path) => send("GET", path, staff)),
    ...createRequests(mediaPaths, (path) => media("GET", path)),
  }
}

const createRequests = (paths: Record<string, string>, send: (path: string) => Promise<TestResponse>): ReadRequests =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => send(path)]))
