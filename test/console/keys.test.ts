// API keys in the console: scopes of single resources, and keys that are limited to some stores.
import { expect, test } from "vitest"
import { platform } from "../support/app"
import { makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { signIn } from "./support"

test("creates a key with scopes of resources that is limited to stores, and refuses combinations without effect", async () => {
  await makeReadyStore({ subdomain: "acme" })
  await makeReadyStore({ subdomain: "bloom" })
  const admin = await signIn()
  const form = (await admin.get("/console/keys")).text
  for (const scope of ["read", "write", "stores:read", "webhooks:write", "events:read"])
    expect(form, scope).toContain(`name="scopes" value="${scope}"`)
  expect(form).not.toContain('value="events:write"')
  const fields = { name: "Fulfilment", scopes: ["stores:read", "events:read"], store_ids: "acme" }
  for (const [change, field] of [
    [{ scopes: ["stores:read", "webhooks:read"] }, "scopes"],
    [{ store_ids: "acme, nobody" }, "store_ids"],
    [{ scopes: ["stores:delete"] }, "scopes"],
  ] as const) {
    const refused = await admin.post("/console/keys", { ...fields, ...change } as never)
    expect([refused.status, refused.text.includes(`id="${field}-error"`)], field).toEqual([422, true])
    expect(refused.text).toContain('value="Fulfilment"')
  }
  const token = /tnk_\w{8}_\w{40}/.exec((await admin.post("/console/keys", fields)).text)?.[0] ?? ""
  expect(await rows("select name, scopes, store_ids from api_keys order by id desc limit 1")).toEqual([
    { name: "Fulfilment", scopes: '["stores:read","events:read"]', store_ids: '["acme"]' },
  ])
  expect((await admin.post("/console/keys", { name: "All stores", scopes: ["read"], store_ids: "" })).status).toBe(200)
  expect(await rows("select store_ids from api_keys order by id desc limit 1")).toEqual([{ store_ids: null }])
  const read = async (store: string) => (await platform("GET", `/stores/${store}`, { token })).status
  expect([await read("acme"), await read("bloom")]).toEqual([200, 404])
  expect((await platform("GET", "/webhooks", { token })).status).toBe(403)
  expect((await admin.get("/console/keys")).text).toContain('<a href="/console/stores/acme">acme</a>')
})
