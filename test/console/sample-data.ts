// Creates some of everything that the console shows.

import { CreateGallery } from "../../src/apps/galleries/schemas"
import { createGallery } from "../../src/apps/galleries/service"
import { createOperatorCtx } from "../../src/content/user"
import { validInput } from "../../src/core/http/input"
import { enableApp } from "../../src/platform/apps/service"
import { attachDomain } from "../../src/platform/domains/service"
import { RequestOrder } from "../../src/platform/orders/schemas"
import { approveOrder, requestOrder } from "../../src/platform/orders/service"
import { saveOfflineSettings } from "../../src/platform/orders/settings"
import { run } from "../support/app"
import { makeCategory, makePage, makePost, makeTag, runOperatorCommand } from "../support/blog-factories"
import { content, hostOfStore, makeToken, makeUser } from "../support/content-factories"
import { makeEndpoint, makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { externalClient, makeActive, makeLicenseKey } from "../support/license-factories"
import { makeMediaClient, upload } from "../support/media-factories"
import { recordPurchase } from "../support/purchases"
import { siteRows } from "../support/rows"
import { signIn } from "./support"

/** @returns the id of the store that most of it belongs to */
export async function createSampleData(): Promise<string> {
  await makePlan({ slug: "pro", name: "Pro", price_cents: 4900 })
  await makeEndpoint()
  await makeEndpoint({ disabledAt: new Date() })
  const store = await makeReadyStore({ subdomain: "acme", name: "Acme Ceramics", plan: "pro", trial_days: 14 })
  await makeStore({ subdomain: "later" })
  await run((ctx) => attachDomain(ctx, store, "shop.acme.example"))
  await makeKey()
  await run((ctx) => saveOfflineSettings(ctx, { enabled: true }))
  await run((ctx) => requestOrder(ctx, store, validInput(RequestOrder, { plan: "pro" })))
  const paid = await makeReadyStore({ subdomain: "paid", plan: "pro" })
  const { reference } = await run((ctx) => requestOrder(ctx, paid, validInput(RequestOrder, { plan: "pro" })))
  const { number } = await run((ctx) => approveOrder(ctx, { reference }))
  await runOperatorCommand("invoices:credit", { number, amount: 1, reason: "Refund" })
  await runOperatorCommand("tax:save", { country: "DE", rate: 19 })
  await runOperatorCommand("incidents:create", { title: "Late webhooks", body: "Deliveries are late." })
  await runOperatorCommand("coupons:save", { code: "SPRING", trial_days: 30 })
  for (const site of ["central", store]) {
    const author = await makeUser(site)
    await makeCategory({ site, name: "News" })
    await makeTag({ site, name: "Clay" })
    await makePost({ site, name: "Hello", author: author.email })
    await makePage({ site, name: "About" })
    await runOperatorCommand("site-tokens:create", { site, name: "Server", type: "internal" })
    await runOperatorCommand("api:send-notification", { site, title: "Hello", message: "We are open.", target: "all" })
  }
  await createShopData(store)
  await upload(await makeMediaClient("central"), "clay.txt", "clay")
  await makeActive(await externalClient())
  await makeLicenseKey("internal")
  const colleague = await signIn({ role: "viewer" })
  await colleague.get("/console")
  return store
}

/** Creates an order, a message, a review and a gallery. */
async function createShopData(store: string): Promise<void> {
  for (const app of ["reviews", "contact"]) await run((ctx) => enableApp(ctx, store, app))
  const customer = await makeUser(store)
  const headers = { Authorization: `Bearer ${await makeToken(customer)}` }
  const send = (path: string, json: unknown) => content("POST", path, { host: hostOfStore(store), headers, json })
  const [product] = await siteRows("select id from products where site_id = ? order by id", store)
  const id = Number(product?.id)
  await send("/orders", { items: [{ product_id: id, quantity: 1 }] })
  await send("/contact", { message: "Do you ship?" })
  await recordPurchase(customer.id, id)
  await send("/reviews", { product_id: id, rating: 5, comment: "Lovely" })
  const gallery = validInput(CreateGallery, { name: "Kiln", slug: undefined, status: "published" })
  await run(async (ctx) => createGallery(await createOperatorCtx(ctx, store, "admin"), gallery))
}
