// Truncated request bodies return 400 on every surface and log no error.
import { expect, test, vi } from "vitest"
import { signIn } from "../console/support"
import { call } from "../support/app"
import { hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { makeLicenseKey } from "../support/license-factories"

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"
const MULTIPART_TYPE = "multipart/form-data; boundary=x"

function truncatedBody(type: string) {
  const text =
    type === MULTIPART_TYPE
      ? '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nxx'
      : '{"name":"a'
  return new ReadableStream({
    type: "bytes",
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => controller.error(new Error("Network connection lost.")),
  })
}

async function buildRequests() {
  const store = await makeReadyStore()
  const { token } = await makeUser(store, { isStaff: true })
  const host = hostOfStore(store)
  const user = { Authorization: `Bearer ${token}` }
  const server = { "X-API-KEY": await makeServerKey(store, "internal") }
  const api = { Authorization: `Bearer ${await makeKey()}` }
  const [external, internal] = [await makeLicenseKey("external"), await makeLicenseKey("internal")]
  const console = { Cookie: (await signIn()).cookie, "Sec-Fetch-Site": "same-origin" }
  const owner = { Cookie: `tenancy_billing=${encodeURIComponent(token)}` }
  const row = (path: string, type: string, headers: Record<string, string> = {}, host?: string) => ({
    path,
    type,
    headers,
    host,
  })
  return [
    row("/signup", JSON_TYPE),
    row("/signup", FORM_TYPE),
    row("/sign-in", MULTIPART_TYPE),
    row("/webhooks/stripe", JSON_TYPE),
    row("/api/platform/v1/stores", JSON_TYPE, api),
    row("/api/platform/v1/stores", JSON_TYPE, { ...api, "Idempotency-Key": "truncated" }),
    row("/api/external/license/check", JSON_TYPE, { "X-API-KEY": external }),
    row("/api/external/license/check", FORM_TYPE, { "X-API-KEY": external }),
    row("/api/internal/products", MULTIPART_TYPE, { "X-API-KEY": internal }),
    row("/console/login", FORM_TYPE, { "Sec-Fetch-Site": "same-origin" }),
    row("/console/plans", FORM_TYPE, console),
    row("/console/sites/central/media/files", MULTIPART_TYPE, console),
    row("/api/v1/login", JSON_TYPE, {}, host),
    row("/api/v1/register", JSON_TYPE, {}, host),
    row("/api/v1/device-tokens", JSON_TYPE, user, host),
    row("/api/v1/update/avatar", MULTIPART_TYPE, user, host),
    row("/api/v1/media/files", MULTIPART_TYPE, server, host),
    row("/api/v1/media/folders", JSON_TYPE, server, host),
    row("/billing/sign-in", FORM_TYPE, {}, host),
    row("/billing/orders", FORM_TYPE, owner, host),
    row("/account/reset-password", FORM_TYPE, {}, host),
  ]
}

test("returns 400 for a truncated body on every surface, and logs no error", async () => {
  const requests = await buildRequests()
  const errors = vi.spyOn(console, "error")
  for (const { path, type, headers, host } of requests) {
    const { status, text } = await call("POST", path, {
      host,
      headers: { ...headers, "Content-Type": type },
      body: truncatedBody(type),
    })
    expect.soft(status, `${path} ${type} ${text.slice(0, 100)}`).toBe(400)
  }
  expect(errors.mock.calls).toEqual([])
})
