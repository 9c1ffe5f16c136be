// Redirects of the pages whose address people also type with a slash at the end.
import { expect, test } from "vitest"
import { call } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"

test.each(["/admin", "/console", "/billing", "/account", "/cart"])(
  "redirects from %s/ to the address without the slash, with its query",
  async (path) => {
    const host = hostOfStore(await makeReadyStore())
    const response = await call("GET", `${path}/?a=1&b=%2F`, { host })
    expect([response.status, response.headers.get("Location")]).toEqual([308, `${path}?a=1&b=%2F`])
    expect((await call("POST", `${path}/`, { host })).status).not.toBe(308)
  },
)

test("redirects no path that could name another host", async () => {
  const host = hostOfStore(await makeReadyStore())
  for (const path of ["//evil.example/", "//admin/", "/admin//", "/%2Fadmin/"])
    expect((await call("GET", path, { host })).headers.get("Location") ?? "", path).not.toMatch(/^\/\//)
})
