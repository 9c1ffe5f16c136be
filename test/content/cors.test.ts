// CORS of the content API, and the language of its messages.
import { beforeEach, describe, expect, test } from "vitest"
import document from "../../openapi/content.json?raw"
import { sendOperatorCommand } from "../support/app"
import { content, makeSettings, makeUser } from "../support/content-factories"

const ORIGIN = "https://app.example.com"

const preflight = (path: string, origin = ORIGIN) =>
  content("OPTIONS", path, {
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "authorization,content-type",
    },
  })

const allowed = (response: { headers: Headers }) => response.headers.get("Access-Control-Allow-Origin")

describe("a site without a list of origins", () => {
  test("answers a preflight request for every origin, also where requests require a key", async () => {
    await sendOperatorCommand("site:api-key")
    await makeSettings("central", { keyRequired: true })
    for (const path of ["/me", "/posts", "/media/files", "/unknown"]) {
      const response = await preflight(path)
      expect([response.status, response.text]).toEqual([204, ""])
      expect(allowed(response)).toBe("*")
      expect(response.headers.get("Access-Control-Allow-Headers")).toMatch(/\bAuthorization\b.*\bX-API-KEY\b/)
      expect(response.headers.get("Access-Control-Allow-Methods")).toContain("PUT")
      expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false)
    }
  })

  test("allows every header of a request that the document describes", async () => {
    const { parameters, securitySchemes } = JSON.parse(document).components
    const { headers } = await preflight("/orders")
    const names = headers.get("Access-Control-Allow-Headers")?.split(", ")
    for (const { name } of [...Object.values<{ name: string }>(parameters), securitySchemes.siteKey])
      expect.soft(names).toContain(name)
    expect(names).toContain("Idempotency-Key")
  })

  test("lets pages read every response, errors included", async () => {
    const { token } = await makeUser()
    const headers = { Origin: ORIGIN }
    for (const response of [
      await content("GET", "/posts", { headers }),
      await content("GET", "/me", { headers, token }),
      await content("GET", "/me", { headers }),
      await content("POST", "/login", { headers, json: {} }),
      await content("GET", "/unknown", { headers }),
      await content("GET", "/media/files", { headers }),
    ]) {
      expect(allowed(response)).toBe("*")
      expect(response.headers.get("Access-Control-Expose-Headers")).toContain("X-RateLimit-Remaining")
      expect(response.headers.get("Vary") ?? "").not.toContain("Origin")
    }
    expect(allowed(await content("GET", "/posts"))).toBeNull()
  })
})

describe("a site with a list of origins", () => {
  beforeEach(async () => {
    await sendOperatorCommand("site:settings", { "cors-origins": `${ORIGIN}, http://localhost:5173` })
  })

  test("allows those only, and varies by origin, also from the cache", async () => {
    for (const origin of [
      ORIGIN,
      "http://localhost:5173",
      "https://evil.example",
      ORIGIN,
      "null",
      `${ORIGIN}.evil.example`,
    ]) {
      const isListed = origin === ORIGIN || origin === "http://localhost:5173"
      const response = await content("GET", "/posts", { headers: { Origin: origin } })
      expect(allowed(response), origin).toBe(isListed ? origin : null)
      expect(response.headers.get("Vary")?.split(", "), origin).toEqual(["X-API-KEY", "Origin"])
      const asked = await preflight("/posts", origin)
      expect([asked.status, allowed(asked), asked.headers.get("Vary")], origin).toEqual([
        204,
        isListed ? origin : null,
        "Origin",
      ])
      expect(asked.headers.has("Access-Control-Allow-Methods"), origin).toBe(isListed)
    }
    expect((await content("GET", "/posts")).headers.get("Vary")).toBe("X-API-KEY, Origin")
  })

  test("allows all again with *", async () => {
    const { body } = await sendOperatorCommand("site:settings", { "cors-origins": "*" })
    expect(body.data["cors-origins"]).toEqual(["*"])
    expect(allowed(await content("GET", "/posts", { headers: { Origin: "https://any.example" } }))).toBe("*")
  })
})

test.each([
  "app.example.com",
  "https://app.example.com/",
  "https://*.example.com/x",
  "ftp://a.example",
  "*, https://a.example",
])("refuses %j as an origin", async (value) => {
  const { status, body } = await sendOperatorCommand("site:settings", { "cors-origins": value })
  expect([status, Object.keys(body.errors)]).toEqual([422, ["cors-origins"]])
})

test("X-LANGUAGE selects the language of messages before Accept-Language, if it is supported", async () => {
  const message = async (headers: Record<string, string>) =>
    (await content("POST", "/login", { headers, json: {} })).body.message
  const [english, french] = [await message({}), await message({ "Accept-Language": "fr" })]
  expect(french).not.toBe(english)
  expect(await message({ "X-LANGUAGE": "fr" })).toBe(french)
  expect(await message({ "X-LANGUAGE": "FR_fr", "Accept-Language": "es" })).toBe(french)
  expect(await message({ "X-LANGUAGE": "de", "Accept-Language": "fr" })).toBe(french)
  expect(await message({ "X-LANGUAGE": "", "Accept-Language": "fr" })).toBe(french)
})
