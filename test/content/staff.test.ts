// Staff of a store: roles, invitations, and what each role may do.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { call } from "../support/app"
import { captureMails, content, hostOfStore, makeUser, parseMailLink } from "../support/content-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { rows, siteRows } from "../support/rows"

const INVITED = "Grace@example.com"
const PASSWORD = "long-enough-1"

/** Creates a store with a single owner, and functions to call its API and its pages. */
async function prepareStaff({ limit = 0 } = {}) {
  const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 0, staff_users: limit } })
  const store = await makeReadyStore({ plan: plan.slug })
  const host = hostOfStore(store)
  await env.SITES_1.prepare("delete from users where site_id = ?").bind(store).run()
  const owner = await makeUser(store, { isStaff: true, role: "owner" })
  const mails = captureMails()
  const send = (method: string, path: string, user: { token?: string }, json?: unknown) =>
    content(method, path, { token: user.token, host, ...(json !== undefined && { json }) })
  const invite = (json: object = {}) =>
    send("POST", "/staff/invitations", owner, { email: INVITED, role: "editor", ...json })
  /** Submits the form behind the last mailed link. */
  const accept = (fields: Record<string, string> = {}, mail = mails.at(-1)) => {
    const body = new URLSearchParams({
      email: INVITED,
      token: parseMailLink(mail).token,
      name: "Grace Hopper",
      password: PASSWORD,
      ...fields,
    })
    return call("POST", "/account/invitation", { host, body })
  }
  const logIn = (email = INVITED, password = PASSWORD) => content("POST", "/login", { host, json: { email, password } })
  const addStaff = (role: "owner" | "admin" | "editor" | "viewer") => makeUser(store, { isStaff: true, role })
  return { store, host, owner, mails, send, invite, accept, logIn, addStaff }
}

describe("invitations", () => {
  test("mails a link with which the invited person joins with the role, a name and a password", async () => {
    const { store, host, owner, mails, send, invite, accept, logIn } = await prepareStaff()
    const invited = await invite()
    expect(invited.status).toBe(201)
    expect(invited.body.data).toMatchObject({ email: INVITED, role: "editor" })
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ to: INVITED })
    const { path } = parseMailLink(mails[0])
    const form = await call("GET", path, { host })
    expect([form.status, form.headers.get("Cache-Control")]).toEqual([200, "no-store"])
    expect(form.text).toContain("At least 8 characters.")
    expect((await send("GET", "/staff/invitations", owner)).body.data).toHaveLength(1)
    const joined = (await accept()).text
    expect(joined).toContain("Welcome to the team")
    expect(joined).toContain('href="/admin/login"')
    const session = await logIn()
    expect(session.body.data.user).toMatchObject({ name: "Grace Hopper", role: "editor" })
    expect((await send("GET", "/me", session.body.data)).body.data.role).toBe("editor")
    expect((await send("GET", "/staff", owner)).body.data.map(({ role }: { role: string }) => role)).toEqual([
      "owner",
      "editor",
    ])
    expect((await send("GET", "/staff/invitations", owner)).body.data).toEqual([])
    const log = await rows(
      "select type, actor_type from audit_entries where store_id = ? and subject_type like 'staff%' order by id",
      store,
    )
    expect(log).toEqual([
      { type: "staff_invitation_created", actor_type: "customer" },
      { type: "staff_joined", actor_type: "system" },
    ])
  })

  test("accepts a link once, only for its address, and not after it expired", async () => {
    const { invite, accept, mails } = await prepareStaff()
    await invite()
    expect((await accept({ email: "mallory@example.com" })).status).toBe(422)
    expect((await accept({ token: "x".repeat(48) })).status).toBe(422)
    const results = await Promise.all([accept(), accept()])
    expect(results.map(({ status }) => status).sort()).toEqual([200, 422])
    await invite({ email: "later@example.com" })
    await env.SITES_1.exec("update staff_invitations set expires_at = 1")
    const late = await accept({ email: "later@example.com" }, mails.at(-1))
    expect([late.status, late.text.includes("no longer valid")]).toEqual([422, true])
  })

  test("replaces the link when the same address is invited again, and forgets a withdrawn one", async () => {
    const { owner, mails, send, invite, accept } = await prepareStaff()
    await invite()
    const again = await invite({ role: "viewer" })
    expect((await send("GET", "/staff/invitations", owner)).body.data).toEqual([again.body.data])
    expect((await accept({}, mails[0])).status).toBe(422)
    expect((await send("DELETE", `/staff/invitations/${again.body.data.id}`, owner)).status).toBe(200)
    expect((await accept({}, mails[1])).status).toBe(422)
    expect((await send("DELETE", `/staff/invitations/${again.body.data.id}`, owner)).status).toBe(404)
  })

  test("makes a customer with the address staff and ends the customer's logins", async () => {
    const { store, send, invite, accept, logIn } = await prepareStaff()
    const customer = await makeUser(store, { email: INVITED.toLowerCase() })
    await invite({ role: "admin" })
    expect((await accept()).status).toBe(200)
    expect((await send("GET", "/me", customer)).status).toBe(401)
    const { user } = (await logIn()).body.data
    expect(user).toMatchObject({ id: customer.id, role: "admin" })
  })

  test("enables a disabled customer who accepts an invitation", async () => {
    const { store, invite, accept, logIn } = await prepareStaff()
    const customer = await makeUser(store, { email: INVITED.toLowerCase() })
    await env.SITES_1.prepare("update users set disabled_at = 1 where id = ?").bind(customer.id).run()
    await invite()
    expect((await accept()).status).toBe(200)
    expect((await logIn()).body.data.user.id).toBe(customer.id)
  })

  test("keeps what was entered when the form is refused, and never fills in the password", async () => {
    const { invite, accept } = await prepareStaff()
    await invite()
    const refused = await accept({ password: "short" })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('value="Grace Hopper"')
    expect(refused.text).not.toContain("short")
    expect((await accept()).status).toBe(200)
  })

  test("returns 422 for the address of a member and for an unknown role", async () => {
    const { owner, invite } = await prepareStaff()
    const { status, body } = await invite({ email: owner.email.toUpperCase(), role: "king" })
    expect(status).toBe(422)
    expect(Object.keys(body.errors).sort()).toEqual(["email", "role"])
  })

  test("counts members and pending invitations against the plan's staff, also when an invitation is accepted", async () => {
    const { store, invite, accept } = await prepareStaff({ limit: 2 })
    expect((await invite()).status).toBe(201)
    expect((await invite()).status).toBe(201)
    expect((await invite({ email: "second@example.com" })).status).toBe(403)
    await makeUser(store, { isStaff: true })
    const refused = await accept()
    expect(refused.status).toBe(422)
    expect(await siteRows("select id from staff_invitations where site_id = ?", store)).toHaveLength(1)
  })

  test("admits no more staff than the plan allows when people are invited, or accept, at the same moment", async () => {
    const { store, mails, invite, accept } = await prepareStaff({ limit: 3 })
    const addresses = ["a@example.com", "b@example.com", "c@example.com"]
    const invited = await Promise.all(addresses.map((email) => invite({ email })))
    expect(invited.map(({ status }) => status).sort()).toEqual([201, 201, 403])
    await makeUser(store, { isStaff: true })
    const accepted = await Promise.all(mails.map((mail) => accept({ email: mail.to }, mail)))
    expect(accepted.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(await siteRows("select id from users where is_staff = 1 and site_id = ?", store)).toHaveLength(3)
  })

  test("does not undo a change of the role that happens while a member accepts an invitation", async () => {
    const { store, invite, accept } = await prepareStaff()
    await invite({ role: "viewer" })
    const member = await makeUser(store, { email: INVITED.toLowerCase(), isStaff: true, role: "admin" })
    const spy = interceptRoundTrips(async (send, statements) => {
      if (statements.some((text) => text.startsWith('delete from "staff_invitations"'))) {
        spy.mockRestore()
        await env.SITES_1.prepare("update users set role = 'editor' where id = ?").bind(member.id).run()
      }
      return send()
    })
    expect((await accept()).status).toBe(200)
    expect(
      await siteRows("select role from users where email_key = 'grace@example.com' and site_id = ?", store),
    ).toEqual([{ role: "editor" }])
  })

  test("limits the invitations of a store per hour", async () => {
    const { invite } = await prepareStaff()
    for (let count = 0; count < 30; count++) expect((await invite({ email: `n${count}@example.com` })).status).toBe(201)
    expect((await invite({ email: "one-more@example.com" })).status).toBe(429)
  })

  test("keeps neither the token nor its hash in a response", async () => {
    const { mails, invite, send, owner } = await prepareStaff()
    const { text } = await invite()
    const { token } = parseMailLink(mails[0])
    expect(text + (await send("GET", "/staff/invitations", owner)).text).not.toContain(token)
    expect(text).not.toContain("hash")
  })
})

describe("roles", () => {
  test("treats staff from before roles existed as owners", async () => {
    const { store, send } = await prepareStaff()
    const early = await makeUser(store, { isStaff: true, role: null })
    expect((await send("GET", "/me", early)).body.data.role).toBe("owner")
    expect((await send("GET", "/staff/invitations", early)).status).toBe(200)
  })

  test("lets only owners manage staff, and every role see it", async () => {
    const { store, send, addStaff, owner } = await prepareStaff()
    const customer = await makeUser(store)
    expect((await send("GET", "/staff", customer)).status).toBe(403)
    for (const role of ["admin", "editor", "viewer"] as const) {
      const member = await addStaff(role)
      expect.soft((await send("GET", "/staff", member)).status, role).toBe(200)
      const refused = [
        await send("GET", "/staff/invitations", member),
        await send("POST", "/staff/invitations", member, { email: INVITED, role: "viewer" }),
        await send("PATCH", `/staff/${member.id}`, member, { role: "owner" }),
        await send("DELETE", `/staff/${owner.id}`, member),
        await send("GET", "/billing", member),
      ]
      expect
        .soft(
          refused.map(({ status }) => status),
          role,
        )
        .toEqual([403, 403, 403, 403, 403])
    }
  })

  test("lets viewers read, and editors write, products, orders and messages", async () => {
    const { send, addStaff, owner } = await prepareStaff()
    const [editor, viewer] = [await addStaff("editor"), await addStaff("viewer")]
    const product = { name: "Tea", price_cents: 100, currency: "EUR", stock: 3 }
    expect((await send("POST", "/products", viewer, product)).status).toBe(403)
    const created = await send("POST", "/products", editor, product)
    expect(created.status).toBe(201)
    expect((await send("PUT", `/products/${created.body.data.id}`, viewer, { name: "T" })).status).toBe(403)
    expect((await send("DELETE", `/products/${created.body.data.id}`, viewer)).status).toBe(403)
    expect((await send("GET", "/products?status=draft", viewer)).status).toBe(200)
    expect((await send("GET", "/orders?scope=all", viewer)).status).toBe(200)
    expect((await send("DELETE", `/products/${created.body.data.id}`, owner)).status).toBe(200)
  })

  test("changes the role of a member and records it", async () => {
    const { store, owner, send, addStaff } = await prepareStaff()
    const member = await addStaff("editor")
    const changed = await send("PATCH", `/staff/${member.id}`, owner, { role: "viewer" })
    expect([changed.status, changed.body.data.role]).toEqual([200, "viewer"])
    const [entry] = await rows(
      "select before, after from audit_entries where store_id = ? and type = 'staff_changed'",
      store,
    )
    expect(entry).toEqual({ before: '{"role":"editor"}', after: '{"role":"viewer"}' })
    expect((await send("PATCH", "/staff/999999", owner, { role: "viewer" })).status).toBe(404)
    expect((await send("PATCH", `/staff/${member.id}`, owner, { role: "king" })).status).toBe(422)
  })

  test("keeps the last owner, also when two owners demote each other at once", async () => {
    const { owner, send, addStaff } = await prepareStaff()
    expect((await send("PATCH", `/staff/${owner.id}`, owner, { role: "admin" })).status).toBe(409)
    expect((await send("DELETE", `/staff/${owner.id}`, owner)).status).toBe(409)
    const other = await addStaff("owner")
    await Promise.all([
      send("PATCH", `/staff/${other.id}`, owner, { role: "admin" }),
      send("PATCH", `/staff/${owner.id}`, other, { role: "admin" }),
    ])
    const owners = await siteRows("select id from users where site_id = ? and role = 'owner'", owner.siteId)
    expect(owners).toHaveLength(1)
  })

  test("writes nothing for a member whose role changes at the same moment", async () => {
    const { send, addStaff } = await prepareStaff()
    const member = await addStaff("editor")
    const spy = interceptRoundTrips(async (send, statements) => {
      if (statements.some((text) => text.startsWith('insert into "posts"'))) {
        spy.mockRestore()
        await env.SITES_1.prepare("update users set role = 'viewer' where id = ?").bind(member.id).run()
      }
      return send()
    })
    expect((await send("POST", "/posts", member, { name: "Late" })).status).toBe(403)
    expect(await siteRows("select id from posts where name = 'Late'")).toEqual([])
  })

  test("ends the logins of a removed member, whose account becomes a customer's", async () => {
    const { owner, send, addStaff } = await prepareStaff()
    const member = await addStaff("admin")
    expect((await send("DELETE", `/staff/${member.id}`, owner)).status).toBe(200)
    expect((await send("GET", "/me", member)).status).toBe(401)
    expect(await siteRows("select is_staff, role from users where id = ?", member.id)).toEqual([
      { is_staff: 0, role: null },
    ])
    expect((await send("DELETE", `/staff/${member.id}`, owner)).status).toBe(404)
  })
})
