// API keys by API: what they may create, and what scopes and store limits allow.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { validInput } from "../../src/core/http/input"
import { CreateKeyWithKey } from "../../src/platform/keys/schemas"
import { createKeyWithKey, readKey } from "../../src/platform/keys/service"
import { platform, run } from "../support/app"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"

const send = (token: string) => (method: string, path: string, json?: unknown) =>
  platform(method, path, { token, json })

/** Creates a key by API with an unlimited key. */
async function createKey(input: Record<string, unknown>): Promise<string> {
  const { status, body } = await send(await makeKey())("POST", "/keys", { name: "Created", ...input })
  expect(status).toBe(201)
  return body.key
}

describe("POST /keys", () => {
  test("returns the key once, and stores its hash and an audit entry without it", async () => {
    const { status, body } = await send(await makeKey({ name: "Root" }))("POST", "/keys", {
      name: "Reader",
      scopes: ["stores:read", "stores:read", "events:read"],
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      name: "Reader",
      scopes: ["stores:read", "events:read"],
      store_ids: null,
      expires_at: null,
      created_by_name: "Root",
      is_usable: true,
    })
    expect(body.key).toMatch(/^tnk_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/)
    expect((await send(body.key)("GET", "/me")).body.data).toMatchObject({
      id: body.data.id,
      scopes: ["stores:read", "events:read"],
    })
    const [entry] = await rows("select * from audit_entries where subject_type = 'api_key'")
    expect(JSON.stringify(entry)).not.toContain(body.key)
    const get = await send(await makeKey())("GET", `/keys/${body.data.id}`)
    expect(get.body.data.key_prefix).toBe(body.key.slice(0, 12))
    expect(JSON.stringify(get.body)).not.toContain(body.key)
  })

  test.each<[own: string[], requested: string[], missing: string | null]>([
    [["write"], ["read"], "read"],
    [["read", "write"], ["stores:read", "webhooks:write"], null],
    [["keys:write"], ["keys:write"], null],
    [["keys:write"], ["keys:read"], "keys:read"],
    [["keys:write", "stores:read"], ["stores:write"], "stores:write"],
    [["keys:write", "stores:read", "stores:write"], ["read"], "read"],
  ])("a key with %j creates one with %j: lacks %s", async (own, requested, missing) => {
    const token = await createKey({ scopes: own.length === 1 && own[0] === "write" ? ["read", "write"] : own })
    const creator = own[0] === "write" ? await makeKey({ scopes: ["write"] }) : token
    const { status, body } = await send(creator)("POST", "/keys", { name: "New", scopes: requested })
    expect(status).toBe(missing ? 403 : 201)
    if (missing) {
      expect(body.error.code).toBe("insufficient_scope")
      expect(body.error.message).toContain(missing)
    }
  })

  test("the new key expires with its creator at the latest", async () => {
    const expires = new Date(Date.now() + 3_600_000)
    const token = await makeKey({ expires })
    const inherited = await send(token)("POST", "/keys", { name: "A", scopes: ["read"] })
    expect(Date.parse(inherited.body.data.expires_at)).toBe(Math.floor(expires.getTime() / 1000) * 1000)
    const later = await send(token)("POST", "/keys", {
      name: "A",
      scopes: ["read"],
      expires_at: "2999-01-01T00:00:00Z",
    })
    expect(later.status).toBe(422)
    expect(later.body.errors.expires_at[0]).toContain("before or equal to")
    const past = await send(token)("POST", "/keys", { name: "A", scopes: ["read"], expires_at: "2001-01-01T00:00:00Z" })
    expect(past.body.errors.expires_at[0]).toContain("in the future")
  })

  test("reports all invalid fields together", async () => {
    const { status, body } = await send(await makeKey())("POST", "/keys", {
      name: "",
      scopes: ["read", "billing:read"],
      store_ids: ["nowhere"],
      expires_at: "soon",
    })
    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual(["name", "scopes.1", "expires_at", "store_ids"])
  })

  test("a key that is revoked while it creates another creates none", async () => {
    const root = await makeKey()
    const [{ id } = {}] = await rows("select id from api_keys")
    const creator = await run((ctx) => readKey(ctx, Number(id)))
    expect((await send(root)("DELETE", `/keys/${id}`)).status).toBe(204)
    const input = validInput(CreateKeyWithKey, { name: "A", scopes: ["read"] })
    await expect(run((ctx) => createKeyWithKey(ctx, input, creator))).rejects.toMatchObject({ code: "key_revoked" })
    expect(await rows("select id from api_keys")).toHaveLength(1)
  })
})

test("DELETE /keys/{id} revokes a key from the next request on, once", async () => {
  const root = send(await makeKey())
  const token = await createKey({ scopes: ["read"] })
  const { id } = (await send(token)("GET", "/me")).body.data
  expect((await root("DELETE", `/keys/${id}`)).status).toBe(204)
  expect((await send(token)("GET", "/me")).body.error.code).toBe("key_revoked")
  const [{ revoked_at } = {}] = await rows("select revoked_at from api_keys where id = ?", id)
  expect((await root("DELETE", `/keys/${id}`)).status).toBe(204)
  expect(await rows("select revoked_at from api_keys where id = ?", id)).toEqual([{ revoked_at }])
  expect((await root("DELETE", "/keys/999999")).status).toBe(404)
  expect((await root("GET", "/keys?per_page=1")).body.meta.total).toBeGreaterThan(1)
})

describe("scopes of one resource", () => {
  test.each<[scope: string, method: string, path: string, status: number]>([
    ["stores:read", "GET", "/stores", 200],
    ["stores:read", "GET", "/platform", 200],
    ["stores:read", "GET", "/me", 200],
    ["stores:read", "GET", "/unknown", 404],
    ["stores:read", "GET", "/plans", 403],
    ["stores:read", "GET", "/webhooks", 403],
    ["stores:read", "GET", "/events", 403],
    ["stores:read", "POST", "/stores", 403],
    ["plans:write", "GET", "/plans", 403],
    ["webhooks:write", "POST", "/webhooks", 422],
    ["webhooks:write", "POST", "/plans", 403],
    ["webhooks:read", "GET", "/webhooks/deliveries/1", 404],
    ["events:read", "GET", "/events", 200],
  ])("%s: %s %s is %i", async (scope, method, path, status) => {
    const response = await send(await createKey({ scopes: [scope] }))(method, path, method === "GET" ? undefined : {})
    expect(response.status).toBe(status)
  })

  test("the message names the scope of the resource", async () => {
    const { body } = await send(await createKey({ scopes: ["stores:read"] }))("DELETE", "/webhooks/1")
    expect(body.error).toEqual({ code: "insufficient_scope", message: "The API key lacks the webhooks:write scope." })
  })
})

describe("a key limited to stores", () => {
  let own: string
  let other: string
  let limited: ReturnType<typeof send>

  beforeEach(async () => {
    own = await makeReadyStore()
    other = await makeReadyStore()
    const scopes = ["stores:read", "stores:write", "events:read", "plans:read"]
    limited = send(await createKey({ scopes, store_ids: [own] }))
  })

  test("sees and changes only its stores", async () => {
    expect((await limited("GET", `/stores/${own}`)).status).toBe(200)
    expect((await limited("PATCH", `/stores/${own}`, { name: "Renamed" })).status).toBe(200)
    for (const path of [`/stores/${other}`, `/stores/${other}/events`, `/stores/${other}/apps`, "/stores/nowhere"])
      expect((await limited("GET", path)).status).toBe(404)
    expect((await limited("DELETE", `/stores/${other}`, { confirm: other })).status).toBe(404)
    const { body } = await limited("GET", "/stores")
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([own])
    expect(body.meta.total).toBe(1)
    expect((await limited("GET", `/stores?q=${other}`)).body.data).toEqual([])
    const created = await limited("POST", "/stores", {
      subdomain: "brandnew",
      name: "New",
      owner_email: "o@example.com",
      password: "correct-horse",
    })
    expect(created.body.error.code).toBe("forbidden")
  })

  test("reads only the events of its stores, and no deliveries", async () => {
    const all = await send(await makeKey())("GET", "/events?limit=100")
    const stores = new Set(all.body.data.map((event: { data: { store?: { id: string } } }) => event.data.store?.id))
    expect([...stores]).toEqual(expect.arrayContaining([own, other]))
    for (const query of ["?limit=100", "?limit=100&order=desc", `?store=${own}`, "?types=store.*"]) {
      const { body } = await limited("GET", `/events${query}`)
      expect(body.data.length).toBeGreaterThan(0)
      for (const event of body.data) expect(event.data.store.id).toBe(own)
    }
    expect((await limited("GET", `/events?store=${other}`)).body.data).toEqual([])
    const foreign = all.body.data.find((event: { data: { store?: { id: string } } }) => event.data.store?.id === other)
    expect((await limited("GET", `/events/${foreign.id}`)).status).toBe(404)
  })

  test("does not reach a later store of the same name", async () => {
    await env.DB.prepare("update stores set seq = seq + 1000 where id = ?").bind(own).run()
    expect((await limited("GET", `/stores/${own}`)).status).toBe(404)
    expect((await limited("GET", `/stores/${own}/events`)).status).toBe(404)
    expect((await limited("GET", "/stores")).body.data).toEqual([])
  })

  test("has only scopes that a store limits", async () => {
    await makePlan()
    for (const scope of ["read", "webhooks:read", "keys:write", "plans:write"]) {
      const { status, body } = await send(await makeKey())("POST", "/keys", {
        name: "A",
        scopes: [scope],
        store_ids: [own],
      })
      expect(status).toBe(422)
      expect(body.errors).toEqual({ scopes: ["A key that is limited to stores cannot have all of these scopes."] })
    }
  })
})
