// The license manager's audit log entries: actor, changed fields, and masked codes and keys.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { externalClient, internalClient, legacyClient } from "../support/license-factories"
import { rows } from "../support/rows"

const entries = () =>
  rows(
    "select type, subject_type, subject_id, actor_type, actor_name, interface, before, after, data from audit_entries order by id",
  )

test("records every change of a product, a version, a license and an activation with its fields", async () => {
  const internal = await internalClient()
  const external = await externalClient()
  const legacyInternal = await legacyClient("internal")
  await env.DB.exec("delete from audit_entries")
  const code = "SECRET-CODE-0123456789"
  await internal("POST", "/products", { json: { name: "Shop", reference_id: "SHOP" } })
  await internal("PUT", "/products/SHOP", { json: { name: "Shop 2" } })
  await internal("PUT", "/products/SHOP", { json: { name: "Shop 2" } })
  await internal("POST", "/products/SHOP/versions", { json: { version: "1.0" } })
  await internal("POST", "/product-licenses", { json: { product_reference_id: "SHOP", license_code: code } })
  await internal("PUT", `/product-licenses/${code}`, { json: { parallel_uses: 2, comments: null } })
  const active = await external("POST", "/license/activate", { json: { product_id: "SHOP", license_code: code } })
  await internal("POST", `/blocked-product-licenses/${code}`)
  await internal("POST", `/blocked-product-licenses/${code}`)
  await internal("DELETE", `/blocked-product-licenses/${code}`)
  await legacyInternal("POST", "/deactivate_license_activations", { json: { license_code: code } })
  await legacyInternal("POST", "/delete_license", { json: { license_code: code } })
  await internal("DELETE", "/activated-products/SHOP")
  const logged = await entries()
  expect(logged.map(({ type }) => type)).toEqual([
    "product_created",
    "product_changed",
    "version_created",
    "license_created",
    "license_changed",
    "activation_created",
    "license_blocked",
    "license_unblocked",
    "license_deactivated",
    "license_deleted",
    "product_deactivated",
  ])
  const entryOf = (type: string) => logged.find((entry) => entry.type === type)
  expect(entryOf("product_changed")).toMatchObject({
    subject_type: "product",
    subject_id: "1",
    actor_type: "license_key",
    interface: "api",
    before: '{"name":"Shop"}',
    after: '{"name":"Shop 2"}',
  })
  expect(entryOf("license_changed")).toMatchObject({ before: '{"parallel_uses":null}', after: '{"parallel_uses":2}' })
  expect(JSON.parse(String(entryOf("license_created")?.after))).toMatchObject({ license_code: "SECR…", is_valid: true })
  expect(entryOf("license_blocked")).toMatchObject({ before: '{"is_valid":true}', after: '{"is_valid":false}' })
  expect(entryOf("activation_created")).toMatchObject({ subject_type: "activation", subject_id: "1" })
  expect(entryOf("license_deactivated")?.data).toBe('{"activations":1}')
  const all = JSON.stringify(logged)
  expect(all).not.toContain(code)
  expect(all).not.toContain(active.body.lic_response)
})

test("records API keys by their prefix, and settings without their key material", async () => {
  const operator = (command: string, json: object) =>
    call("POST", `/api/operator/v1/${command}`, { json, token: env.OPERATOR_TOKEN })
  const { key, id } = (await operator("license-keys:create", { type: "internal", name: "Vendor" })).body.data
  await operator("license-keys:revoke", { id })
  await operator("license-keys:revoke", { id })
  const secret = `base64:${new Uint8Array(16).fill(7).toBase64()}`
  await operator("license-settings", { lm_license_encryption_key: secret, lm_requests_rate_limiting_period: 50 })
  const logged = await entries()
  expect(logged.map(({ type, subject_id }) => [type, subject_id])).toEqual([
    ["license_key_issued", String(id)],
    ["license_key_revoked", String(id)],
    ["license_settings_saved", "lm"],
  ])
  expect(JSON.parse(String(logged[2]?.after))).toEqual({
    lm_license_encryption_key: "1 set",
    lm_requests_rate_limiting_period: 50,
  })
  const all = JSON.stringify(logged)
  expect(all).toContain(key.slice(0, 12))
  expect(all).not.toContain(key)
  expect(all).not.toContain(secret.slice(7))
})
