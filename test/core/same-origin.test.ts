// Tests which forms count as those of the same origin.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { isSameOriginForm } from "../../src/core/http/same-origin"
import { settingsOf } from "../../src/env"

const settings = { ...settingsOf(env), PUBLIC_URL: "https://{host}" }

const check = (headers: Record<string, string>) =>
  isSameOriginForm({ url: "http://acme.localhost:8787/cart", headers: new Headers(headers) }, settings)

test.each([
  ["http://acme.localhost:8787", true],
  ["https://acme.localhost", true],
  ["http://acme.localhost:1234", false],
  ["https://acme.localhost:8787", false],
  ["http://other.localhost:8787", false],
  ["null", false],
])("the origin %s counts as the same: %s", (Origin, isSame) => {
  expect(check({ Origin })).toBe(isSame)
})

test.each([
  ["same-origin", true],
  ["same-site", false],
  ["cross-site", false],
  ["none", false],
])("Sec-Fetch-Site: %s decides alone: %s", (site, isSame) => {
  expect(check({ "Sec-Fetch-Site": site })).toBe(isSame)
  expect(check({ "Sec-Fetch-Site": site, Origin: "http://acme.localhost:8787" })).toBe(isSame)
})

test("a client without both headers is no browser", () => {
  expect(check({})).toBeNull()
})
