// A store that has a little of everything, with words in it by which a leak is known, and the people in it.
import { saveOffline } from "../../src/platform/orders/settings"
import { type Answer, platform, run } from "./app"
import { operator } from "./blog-factories"
import { content, hostOfStore, makeUser } from "./content-factories"
import { makeKey, makePlan, makeReadyStore } from "./factories"
import { makeServerKey } from "./key-factories"

function made({ status, text, body }: Answer, what: string) {
  if (status >= 300) throw new Error(`${what} answered ${status} ${text}`)
  return body.data ?? body
}

/** A store on a plan without limits, with every app on. */
export async function makeOpenStore() {
  const token = await makeKey()
  const plan = await makePlan()
  const id = await makeReadyStore({ plan: plan.slug })
  for (const { slug } of made(await platform("GET", `/stores/${id}/apps`, { token }), "apps"))
    made(await platform("POST", `/stores/${id}/apps/${slug}/enable`, { token }), slug)
  return { id, host: hostOfStore(id), plan: plan.slug, staff: await makeUser(id, { isStaff: true }) }
}

/**
 * A store full of things.
 * @param secret stands in all that its people wrote
 * @param personal stands in what is between the shop and `alice`
 */
export async function makeFullStore(secret: string, personal: string) {
  const store = await makeOpenStore()
  const { id: site, host, staff } = store
  const alice = await makeUser(site, { firstName: personal })
  const as = async (token: string, method: string, path: string, json: object) =>
    made(await content(method, path, { host, token, json }), path)
  const category = await operator("categories:save", { site, name: secret, slug: "cat" })
  const tag = await operator("tags:save", { site, name: secret, slug: "tag" })
  const post = await operator("posts:save", { site, name: secret, slug: "post", content: secret, categories: "cat" })
  const page = await operator("pages:save", { site, name: secret, slug: "page", content: secret })
  await operator("api:send-notification", { site, title: personal, message: personal, target: "all" })
  const headers = { "X-API-KEY": await makeServerKey(site, "internal") }
  const folder = made(await content("POST", "/media/folders", { host, headers, json: { name: secret } }), "folder")
  const upload = async (folderId: number) => {
    const body = new FormData()
    body.set("file", new Blob([secret], { type: "text/plain" }), `${secret}.txt`)
    body.set("folder_id", String(folderId))
    return made(await content("POST", "/media/files", { host, headers, body }), "file")
  }
  const file = await upload(folder.id)
  // Nothing but its own row says whose it is.
  const inRoot = await upload(0)
  const product = await as(staff.token, "POST", "/products", {
    name: secret,
    price_cents: 100,
    currency: "EUR",
    stock: 99,
  })
  const gallery = await as(staff.token, "POST", "/galleries", { name: secret, status: "draft" })
  const order = await as(alice.token, "POST", "/orders", {
    items: [{ product_id: product.id, quantity: 1 }],
    note: personal,
  })
  const review = await as(alice.token, "POST", "/reviews", { product_id: product.id, rating: 5, comment: secret })
  const message = await as(alice.token, "POST", "/contact", { subject: personal, message: personal })
  const device = await as(alice.token, "POST", "/device-tokens", { token: personal, device_id: personal })
  await run((ctx) => saveOffline(ctx, { enabled: true }))
  const other = await makePlan()
  const transfer = await as(staff.token, "POST", "/billing/orders", { plan: other.slug, note: secret })
  return {
    ...store,
    alice,
    key: headers["X-API-KEY"],
    reference: transfer.reference as string,
    file: file.url as string,
    ids: [
      ...new Set<number>(
        [category, tag, post, page, folder, file, inRoot, product, gallery, order, review, message, device, alice].map(
          ({ id }) => id,
        ),
      ),
    ],
  }
}
