import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { expect, test } from "vitest"
import { stores } from "../../src/db/schema/central/stores"
import { captureMails, content, makeUser } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { recordPurchase } from "../support/purchases"
import { rows, siteRows } from "../support/rows"
import { signInToAdmin } from "./support"

/** Creates a store with apps for messages and reviews. */
async function makeShop(): Promise<string> {
  const store = await makeReadyStore()
  await drizzle(env.DB)
    .update(stores)
    .set({ apps: ["contact", "ecommerce", "reviews"] })
    .where(eq(stores.id, store))
  return store
}

const write = async (store: string, host: string, message: object) => {
  const { token } = await makeUser(store)
  const written = await content("POST", "/contact", { host, token, json: message })
  expect(written.status).toBe(201)
  return written.body.data.id as number
}

test("shows, marks, answers and deletes a message", async () => {
  const mails = captureMails()
  const store = await makeShop()
  const editor = await signInToAdmin(store, "editor")
  const owner = await signInToAdmin(store)
  const sent = {
    name: "Grace",
    email: "grace@example.com",
    subject: "<i>Coats</i>",
    message: "The zip\nis <b>broken</b>",
  }
  const id = await write(store, editor.host, sent)
  const path = `/admin/messages/${id}`

  expect((await editor.get("/admin")).text).toContain('href="/admin/messages?status=new">new message</a>')
  expect((await editor.get("/admin/messages?status=new")).text).toContain("&lt;i&gt;Coats&lt;/i&gt;")
  expect((await editor.get("/admin/messages?status=read")).text).toContain("No messages match these filters.")
  const page = await editor.get(path)
  expect(page.text).toContain("is &lt;b&gt;broken")
  expect(page.text).toContain("Enter a contact email under Settings")
  await owner.post("/admin/settings", { name: "Harbor", contact_email: "shop@example.com" })
  expect((await editor.get(path)).text).toContain("Replies go to shop@example.com.")

  expect((await editor.post(`${path}/edit`, { status: "read" })).headers.get("Location")).toBe(
    `${path}?done=message_saved`,
  )
  expect((await editor.post(`${path}/edit`, { status: "other" })).status).toBe(422)
  const refused = await editor.post(`${path}/reply`, { reply: "" })
  expect([refused.status, refused.text.includes('id="reply-error"')]).toEqual([422, true])
  const long = await editor.post(`${path}/reply`, { reply: `Kept ${"x".repeat(5000)}` })
  expect([long.status, long.text.includes("Kept xxx")]).toEqual([422, true])

  expect((await editor.post(`${path}/reply`, { reply: "Sorry.\n\nBring it <b>in</b>." })).status).toBe(303)
  const mail = mails.find(({ to }) => to === "grace@example.com")
  expect(mail).toMatchObject({ to: "grace@example.com", replyTo: "shop@example.com" })
  expect(mail?.text).toContain("Bring it <b>in</b>.")
  expect(mail?.html).toContain("Bring it &lt;b&gt;in&lt;/b&gt;.")
  // The address may be that of somebody else.
  expect(JSON.stringify(mail)).not.toMatch(/Coats|broken|Grace/)
  const answered = await editor.get(path)
  expect(answered.text).toContain("Answered")
  expect(await rows("select actor_id, type from audit_entries where subject_type = 'contact_message'")).toEqual([
    { actor_id: editor.user.id, type: "contact_message_changed" },
    { actor_id: editor.user.id, type: "contact_message_replied" },
  ])

  const viewer = await signInToAdmin(store, "viewer")
  const seen = await viewer.get(path)
  expect([seen.status, seen.text.includes("<textarea"), seen.text.includes("/delete")]).toEqual([200, false, false])
  for (const action of ["edit", "reply", "delete"])
    expect((await viewer.post(`${path}/${action}`, { status: "new", reply: "x" })).status, action).toBe(403)
  const neighbor = await signInToAdmin(await makeShop())
  expect((await neighbor.get(path)).status).toBe(404)
  expect((await neighbor.post(`${path}/reply`, { reply: "x" })).status).toBe(404)

  expect((await editor.get(`${path}/delete`)).text).toContain("Delete this message?")
  expect((await editor.post(`${path}/delete`)).headers.get("Location")).toBe("/admin/messages?done=message_deleted")
  expect((await editor.get(path)).status).toBe(404)
})

test("limits the replies of a shop, because anyone can enter a stranger's address", async () => {
  const store = await makeShop()
  const editor = await signInToAdmin(store, "editor")
  const ids = await Promise.all(
    Array.from({ length: 7 }, (_, n) =>
      write(store, editor.host, { message: "Hello", email: `visitor${n}@example.com` }),
    ),
  )
  const reply = (id: number | undefined) =>
    content("POST", `/contact/${id}/reply`, { host: editor.host, token: editor.user.token, json: { reply: "Yes" } })
  for (let n = 0; n < 30; n++) expect((await reply(ids[n % 6])).status).toBe(200)
  const id = ids[6]
  expect((await reply(id)).status).toBe(429)
  const page = await editor.post(`/admin/messages/${id}/reply`, { reply: "Typed" })
  expect([page.status, page.text.includes("Typed</textarea>")]).toEqual([429, true])
  expect(await siteRows("select count(*) as n from account_mails where purpose = 'contact_reply'")).toEqual([{ n: 30 }])
})

test("refuses a reply over the limits of mails to its address, and stores nothing of it", async () => {
  const mails = captureMails()
  const store = await makeShop()
  const editor = await signInToAdmin(store, "editor")
  const id = await write(store, editor.host, { message: "Hello", email: "grace@example.com" })
  const reply = (text: string) => editor.post(`/admin/messages/${id}/reply`, { reply: text })
  for (let n = 1; n <= 5; n++) expect((await reply(`Reply ${n}`)).status).toBe(303)
  const refused = await reply("Reply 6")
  expect([refused.status, refused.text.includes("Reply 6</textarea>")]).toEqual([429, true])
  expect(mails.map(({ to }) => to)).toEqual(Array(5).fill("grace@example.com"))
  expect(await siteRows("select reply from contact_messages where id = ?", id)).toEqual([{ reply: "Reply 5" }])
})

test("hides and shows a review", async () => {
  const store = await makeShop()
  const editor = await signInToAdmin(store, "editor")
  const { host } = editor
  const api = (method: string, path: string, json?: unknown, token = editor.user.token) =>
    content(method, path, { host, token, json })
  const product = (await api("POST", "/products", { name: "Bowl", price_cents: 1000, currency: "EUR" })).body.data.id
  const buyer = await makeUser(store, { firstName: "Grace", lastName: "Hopper" })
  await recordPurchase(buyer.id, product)
  const review = { product_id: product, rating: 2, comment: "<script>alert(1)</script>" }
  const { id } = (await api("POST", "/reviews", review, buyer.token)).body.data
  const list = await editor.get("/admin/reviews")
  for (const text of ["Bowl", "2 of 5", "&lt;script&gt;alert", "Grace Hopper", `/admin/reviews/${id}/hide`])
    expect(list.text).toContain(text)
  expect((await editor.post(`/admin/reviews/${id}/hide`)).headers.get("Location")).toBe(
    "/admin/reviews?done=review_hidden",
  )
  expect((await editor.get("/admin/reviews")).text).toContain("No published reviews yet.")
  const rated = async () => (await api("GET", `/reviews?product_id=${product}`)).body.meta.rating.count
  expect(await rated()).toBe(0)
  expect((await editor.get("/admin/reviews?status=hidden")).text).toContain(`/admin/reviews/${id}/show`)
  expect((await editor.post(`/admin/reviews/${id}/show`)).status).toBe(303)
  expect(await rated()).toBe(1)
  expect((await editor.post("/admin/reviews/99999/hide")).status).toBe(404)
  const viewer = await signInToAdmin(store, "viewer")
  expect((await viewer.get("/admin/reviews")).text).not.toContain("/hide")
  expect((await viewer.post(`/admin/reviews/${id}/hide`)).status).toBe(403)
  const types = await rows("select type from audit_entries where subject_type = 'review' order by id")
  expect(types).toEqual([{ type: "review_hidden" }, { type: "review_shown" }])
})

test("a shop without the apps has neither messages nor reviews", async () => {
  const owner = await signInToAdmin(await makeReadyStore())
  for (const path of ["/admin/messages", "/admin/reviews"]) expect((await owner.get(path)).status, path).toBe(404)
  expect((await owner.get("/admin")).text).not.toMatch(/admin\/(messages|reviews)/)
})
