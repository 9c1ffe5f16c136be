// The operator commands of a site's API settings, API key and server tokens.
import { describe, expect, test, vi } from "vitest"
import { removeStore } from "../../src/platform/stores/remove"
import { run, sendOperatorCommand } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { rows } from "../support/rows"

const withKey = (key: string, host?: string) => content("GET", "/nothing", { host, headers: { "X-API-KEY": key } })

describe("site:settings", () => {
  test("shows a site's settings and updates those in the input", async () => {
    const store = await makeReadyStore()
    const defaults = {
      site: "central",
      api: true,
      "require-key": false,
      "email-verification": false,
      "cors-origins": ["*"],
      language: "en",
      "media-key-writes": true,
      "notification-format": "standard",
      api_key_prefix: null,
    }
    expect((await sendOperatorCommand("site:settings")).body.data).toEqual(defaults)
    expect(await rows("select * from site_settings")).toEqual([])
    expect((await sendOperatorCommand("site:settings", { api: "off" })).body.data).toEqual({ ...defaults, api: false })
    expect((await content("GET", "/nothing")).status).toBe(503)
    expect((await content("GET", "/nothing", { host: hostOfStore(store) })).status).toBe(404)
    await sendOperatorCommand("site:settings", { site: store, "email-verification": true })
    expect((await sendOperatorCommand("site:settings", { api: "true" })).body.data).toEqual(defaults)
    expect((await sendOperatorCommand("site:settings", { site: store })).body.data).toMatchObject({
      "email-verification": true,
    })
    expect((await sendOperatorCommand("site:settings", { site: "nobody" })).status).toBe(422)
    expect((await sendOperatorCommand("site:settings", { api: "maybe" })).status).toBe(422)
  })

  test("refuses to require a key before the site has one", async () => {
    const response = await sendOperatorCommand("site:settings", { "require-key": true })
    expect(response.status).toBe(422)
    await sendOperatorCommand("site:api-key")
    expect((await sendOperatorCommand("site:settings", { "require-key": true })).status).toBe(200)
    expect((await content("GET", "/nothing")).body).toEqual({
      message: "The API key is missing or invalid.",
      error: "Unauthorized",
    })
  })
})

describe("site:api-key", () => {
  test("invalidates the old key and keeps users logged in when a key is replaced", async () => {
    const user = await makeUser()
    const first = (await sendOperatorCommand("site:api-key")).body.data.key
    expect(first).toMatch(/^tna_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/)
    await sendOperatorCommand("site:settings", { "require-key": "on" })
    expect((await withKey(first)).status).toBe(404)
    const second = (await sendOperatorCommand("site:api-key")).body.data.key
    expect((await withKey(first)).status).toBe(401)
    const me = await content("GET", "/me", { token: user.token, headers: { "X-API-KEY": second } })
    expect(me.status).toBe(200)
    expect((await content("GET", "/me", { token: user.token })).body.error).toBe("Unauthorized")
    const [row] = await rows("select * from site_settings")
    expect(JSON.stringify(row)).not.toContain(second)
    expect(second.startsWith(String(row?.api_key_prefix))).toBe(true)
  })

  test("rejects a key at any other site", async () => {
    const store = await makeReadyStore()
    const keys = [
      (await sendOperatorCommand("site:api-key")).body.data.key,
      (await sendOperatorCommand("site:api-key", { site: store })).body.data.key,
    ]
    for (const site of ["central", store]) await sendOperatorCommand("site:settings", { site, "require-key": true })
    expect((await withKey(keys[0])).status).toBe(404)
    expect((await withKey(keys[1], hostOfStore(store))).status).toBe(404)
    expect((await withKey(keys[1])).status).toBe(401)
    expect((await withKey(keys[0], hostOfStore(store))).status).toBe(401)
  })
})

describe("site-tokens", () => {
  test("accepts a server token at its own protected site until it is revoked", async () => {
    const store = await makeReadyStore()
    for (const site of ["central", store]) {
      await sendOperatorCommand("site:api-key", { site })
      await sendOperatorCommand("site:settings", { site, "require-key": true })
    }
    const created = await sendOperatorCommand("site-tokens:create", { site: store, name: "Sync", type: "internal" })
    const { id, token } = created.body.data
    expect(token).toMatch(/^tns_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}$/)
    const host = hostOfStore(store)
    expect((await withKey(token, host)).status).toBe(404)
    expect((await withKey(token)).status).toBe(401)
    const listed = (await sendOperatorCommand("site-tokens:list", { site: store })).body.data
    expect(listed).toEqual([
      {
        id,
        site: store,
        name: "Sync",
        type: "internal",
        scopes: ["read"],
        prefix: token.slice(0, 12),
        created_by_name: "operator",
        last_used_at: expect.any(String),
        created_at: expect.any(String),
      },
    ])
    expect((await sendOperatorCommand("site-tokens:list")).body.data).toEqual([])
    expect((await sendOperatorCommand("site-tokens:revoke", { id })).status).toBe(404)
    expect((await sendOperatorCommand("site-tokens:revoke", { site: store, id })).status).toBe(200)
    expect((await withKey(token, host)).status).toBe(401)
    expect((await sendOperatorCommand("site-tokens:create", { name: "", type: "standard" })).status).toBe(422)
    expect((await sendOperatorCommand("site-tokens:create", { name: "x", type: "root" })).status).toBe(422)
  })

  test("checks a key without an extra round trip, and records its use once per minute", async () => {
    const { token } = (await sendOperatorCommand("site-tokens:create", { name: "Sync" })).body.data
    expect((await costsOf(() => withKey(token))).roundTrips).toBe(2)
    expect((await costsOf(() => withKey(token))).roundTrips).toBe(1)
  })

  test("deletes a store's settings and tokens with the store", async () => {
    const store = await makeReadyStore()
    await sendOperatorCommand("site:api-key", { site: store })
    await sendOperatorCommand("site-tokens:create", { site: store, name: "Sync" })
    await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "console" }))
    expect(await rows("select * from site_settings")).toEqual([])
    expect(await rows("select * from server_tokens")).toEqual([])
  })
})

test.each([
  ["site-tokens:create", { name: "Shop server", type: "internal" }],
  ["site:api-key", {}],
  ["site:settings", { "email-verification": true }],
])("refuses %s for a store that is deleted while the command runs, and stores nothing", async (command, options) => {
  const store = await makeReadyStore({ subdomain: "acme" })
  const removal = vi.fn(() => run((ctx) => removeStore(ctx, store, { confirm: store, reason: "api" })))
  const spy = interceptRoundTrips(async (send, statements) => {
    const isWrite = statements.some((text) => /^insert into "(server_tokens|site_settings)"/.test(text))
    if (isWrite) await removal()
    return send()
  })
  const response = await sendOperatorCommand(command, { site: store, ...options })
  spy.mockRestore()
  expect(removal).toHaveBeenCalledOnce()
  expect(response.status).toBe(422)
  expect(Object.keys(response.body.errors ?? response.body.error.details ?? {})).toEqual(["site"])
  expect(await rows("select site_id from site_settings union all select site_id from server_tokens")).toEqual([])
})
