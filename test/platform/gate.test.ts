// The control plane's gate: the order of its checks, case by case.
import { describe, expect, test } from "vitest"
import { platform } from "../support/app"
import { makeKey } from "../support/factories"

describe("the gate", () => {
  test("a request without a key is unauthenticated, on a path that does not exist as well", async () => {
    for (const path of ["/me", "/no-such-path"]) {
      const answer = await platform("GET", path)
      expect(answer.status).toBe(401)
      expect(answer.body.error.code).toBe("unauthenticated")
    }
  })

  test("either way to present a key opens it", async () => {
    const token = await makeKey({ scopes: ["read"] })
    expect((await platform("GET", "/me", { token })).status).toBe(200)
    expect((await platform("GET", "/me", { headers: { "X-API-KEY": token } })).body.data.scopes).toEqual(["read"])
  })
})
