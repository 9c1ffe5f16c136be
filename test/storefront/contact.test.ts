// The contact form of a store's pages.
import { afterEach, expect, test, vi } from "vitest"
import { DAY, MINUTE } from "../../src/lib/time"
import { captureMails, makeUser, PASSWORD } from "../support/content-factories"
import { measureCriticalPath } from "../support/critical-path"
import { siteRows } from "../support/rows"
import { makeShop } from "../support/shop-visits"

const MESSAGE = { name: "Ada", email: "ada@example.com", subject: "Hello", message: "Is <b>it</b> open?" }

afterEach(() => void vi.useRealTimers())

const messagesOf = (store: string) =>
  siteRows("select user_id, name, email, message from contact_messages where site_id = ? order by id", store)

test("a visitor writes to the shop, which staff can read, and a refused form keeps what was typed", async () => {
  const shop = await makeShop({ apps: ["contact"] })
  const visitor = shop.visitor()
  expect((await visitor.get("/")).text).toContain('href="/contact"')
  expect((await visitor.get("/contact", { "Accept-Language": "es" })).text).toContain("Enviar mensaje")
  const refused = await visitor.post("/contact", { ...MESSAGE, email: "", message: "" })
  expect(refused.status).toBe(422)
  expect(refused.text).toMatch(/id="email"[^>]*aria-invalid="true"[^>]*autofocus/)
  expect(refused.text).toContain('value="Hello"')
  expect((await visitor.post("/contact", { ...MESSAGE, website: "x" })).status).toBe(303)
  expect((await visitor.post("/contact", MESSAGE, { Origin: "https://evil.example" })).status).toBe(403)
  expect(await messagesOf(shop.store)).toEqual([])
  const { roundTrips } = await measureCriticalPath(() => visitor.post("/contact", MESSAGE))
  expect(roundTrips).toBeLessThanOrEqual(3)
  expect((await visitor.get("/contact?sent=1")).text).toContain("Your message was sent.")
  const { body } = await shop.asStaff("GET", "/contact")
  expect(body.data).toMatchObject([{ user_id: null, name: "Ada", message: "Is <b>it</b> open?" }])

  const user = await makeUser(shop.store)
  await visitor.post("/account/sign-in", { email: user.email, password: PASSWORD })
  expect((await visitor.get("/contact")).text).toContain(`value="${user.email}"`)
  await visitor.post("/contact", MESSAGE)
  expect((await messagesOf(shop.store)).map(({ user_id }) => user_id)).toEqual([0, user.id])
})

test("the form is limited by network, and belongs to the contact app", async () => {
  const shop = await makeShop({ apps: ["contact"] })
  const visitor = shop.visitor()
  const statuses: number[] = []
  for (let n = 0; n < 61; n++) statuses.push((await visitor.post("/contact", MESSAGE)).status)
  expect([statuses.filter((status) => status === 303).length, statuses.at(-1)]).toEqual([60, 429])
  await shop.disableApp("contact")
  expect((await shop.visitor().get("/contact")).status).toBe(404)
  expect((await shop.visitor().post("/contact", MESSAGE)).status).toBe(404)
})

test("a network may send 100 messages a day without signing in, and a customer on it may still write", async () => {
  const shop = await makeShop({ apps: ["contact"] })
  const visitor = shop.visitor()
  // The windows of the rate limits change only with the clock that the test moves.
  vi.useFakeTimers({ toFake: ["Date"] })
  const statuses: number[] = []
  for (let n = 0; n < 102; n++) {
    if (n % 50 === 0) vi.setSystemTime(Date.now() + 2 * MINUTE)
    statuses.push((await visitor.post("/contact", MESSAGE)).status)
  }
  expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([100, 429])
  const customer = shop.visitor()
  const user = await makeUser(shop.store)
  await customer.post("/account/sign-in", { email: user.email, password: PASSWORD })
  expect((await customer.post("/contact", MESSAGE)).status).toBe(303)
  vi.setSystemTime(Date.now() + DAY)
  expect((await visitor.post("/contact", MESSAGE)).status).toBe(303)
})

test("a message is mailed to the shop's contact address only, with replies to the visitor", async () => {
  const shop = await makeShop({ apps: ["contact"] })
  const mails = captureMails()
  const visitor = shop.visitor()
  await visitor.post("/contact", MESSAGE)
  expect(mails).toEqual([])
  await shop.asStaff("PUT", "/shop/settings", { contact_email: "shop@example.com", language: "fr" })
  const [link] = mails.splice(0)
  expect(link?.subject).toContain("Confirm the contact address")
  await visitor.post("/contact", MESSAGE)
  expect(mails).toMatchObject([{ to: "shop@example.com", replyTo: "ada@example.com" }])
  expect(mails[0]?.subject).toContain("Nouveau message")
  for (const text of ["Ada", "Hello", "Is <b>it</b> open?", "/admin"]) expect(mails[0]?.text).toContain(text)
  expect(mails[0]?.html).toContain("Is &lt;b&gt;it&lt;/b&gt; open?")
  for (let n = 0; n < 30; n++) await visitor.post("/contact", MESSAGE)
  expect(mails.length).toBeLessThanOrEqual(6)
  expect((await messagesOf(shop.store)).length).toBe(32)
})
