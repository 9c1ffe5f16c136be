// The served OpenAPI documents: public, cacheable, and with the requested host as their server.
import { describe, expect, test } from "vitest"
import content from "../../openapi/content.json?raw"
import license from "../../openapi/license.json?raw"
import platform from "../../openapi/platform.json?raw"
import { call, platform as platformCall } from "../support/app"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { externalClient, internalClient } from "../support/license-factories"

const FILES = { platform, content, license }
const BASES = { platform: "/api/platform/v1", content: "/api/v1", license: "/api" }

describe("/openapi", () => {
  test.each(Object.keys(FILES) as (keyof typeof FILES)[])(
    "serves %s.json as generated, with the requested host as its server",
    async (name) => {
      const { status, headers, body } = await call("GET", `/openapi/${name}.json`)
      expect([status, headers.get("Content-Type")]).toEqual([200, "application/json"])
      const { servers, ...served } = body
      const { servers: _, ...generated } = JSON.parse(FILES[name])
      expect(served).toEqual(generated)
      expect(servers).toEqual([{ url: `https://localhost${BASES[name]}` }])
    },
  )

  test("returns 304 for a matching ETag, and no body to HEAD", async () => {
    const { headers } = await call("GET", "/openapi/license.json")
    const etag = headers.get("ETag") ?? ""
    const unchanged = await call("GET", "/openapi/license.json", { headers: { "If-None-Match": etag } })
    expect([unchanged.status, unchanged.text, unchanged.headers.get("ETag")]).toEqual([304, "", etag])
    const head = await call("HEAD", "/openapi/license.json")
    expect([head.status, head.text, head.headers.get("ETag")]).toEqual([200, "", etag])
  })

  test("serves only the content API's document on a store's host, with that host as its server", async () => {
    const store = await makeReadyStore()
    const host = `${store}.localhost`
    const { status, body } = await call("GET", "/openapi/content.json", { host })
    expect([status, body.servers]).toEqual([200, [{ url: `https://${host}/api/v1` }]])
    for (const name of ["platform", "license"]) {
      expect((await call("GET", `/openapi/${name}.json`, { host })).status).toBe(404)
    }
    expect((await call("GET", "/openapi/content.json", { host: "unknown.localhost" })).status).toBe(404)
  })

  test("lets pages of other origins read it, and send the ETag that they have", async () => {
    const { status, headers } = await call("OPTIONS", "/openapi/platform.json", {
      headers: { Origin: "https://tools.example", "Access-Control-Request-Headers": "if-none-match" },
    })
    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([204, "*"])
    expect(headers.get("Access-Control-Allow-Headers")).toBe("If-None-Match")
    const etag = (await call("GET", "/openapi/platform.json")).headers.get("ETag") ?? ""
    const cached = await call("GET", "/openapi/platform.json", { headers: { "If-None-Match": etag } })
    expect([cached.status, cached.headers.get("Access-Control-Expose-Headers")]).toEqual([304, "ETag, X-Request-Id"])
  })

  test("returns 404 for any other name, and 405 for any other method", async () => {
    for (const file of ["nope.json", "platform", "platform.yaml", "__proto__.json", "%2e%2e.json"]) {
      expect.soft((await call("GET", `/openapi/${file}`)).status, file).toBe(404)
    }
    const { status, headers } = await call("POST", "/openapi/platform.json")
    expect([status, headers.get("Allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
  })
})

describe("other editions", () => {
  const isNull = (value: unknown) => JSON.stringify(value)?.includes('"null"')

  test.each(Object.keys(FILES) as (keyof typeof FILES)[])("serves %s.json as OpenAPI 3.0", async (name) => {
    const { body, headers, text } = await call("GET", `/openapi/${name}.json?version=3.0`)
    expect(body.openapi).toBe("3.0.3")
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*")
    expect(Object.keys(body.paths)).toEqual(Object.keys(JSON.parse(FILES[name]).paths))
    expect(body).not.toHaveProperty("webhooks")
    const { schemas } = body.components
    for (const [component, schema] of Object.entries(schemas)) {
      const keywords = JSON.stringify(schema)
      expect(isNull(schema), component).toBe(false)
      expect(keywords, component).not.toMatch(/"(const|contentMediaType|propertyNames)":/)
      expect(keywords, component).not.toMatch(/"type":\[/)
      expect(text.split(`"#/components/schemas/${component}"`).length, component).toBeGreaterThan(1)
    }
    expect((await call("GET", `/openapi/${name}.json?version=2.0`)).status).toBe(404)
  })

  test("3.0 keeps what may be null, references included", async () => {
    const { schemas } = (await call("GET", "/openapi/platform.json?version=3.0")).body.components
    expect(schemas.Store.properties.provisioned_at).toMatchObject({ type: "string", nullable: true })
    expect(schemas.Store.properties.subscription).toMatchObject({
      // 3.0 ignores nullable without a type.
      type: "object",
      nullable: true,
      allOf: [{ $ref: "#/components/schemas/Subscription" }],
    })
    // Every value, null included, has to be among those of an enum.
    const { disabled_reason } = schemas.WebhookEndpoint.properties
    expect(disabled_reason).toMatchObject({ type: "string", nullable: true, enum: ["failures", "gone", null] })
  })

  test("a Postman collection has every operation, and a distinct idempotency key for each write with keys", async () => {
    for (const name of Object.keys(FILES) as (keyof typeof FILES)[]) {
      const { body, headers } = await call("GET", `/openapi/${name}.postman.json`)
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*")
      const items = body.item.flatMap((folder: { item: unknown[] }) => folder.item) as {
        request: {
          method: string
          header: { key: string; value: string }[]
          url: { raw: string }
          body?: { mode: string }
        }
      }[]
      const operations = Object.values(JSON.parse(FILES[name]).paths).flatMap((path) => Object.keys(path as object))
      expect(items).toHaveLength(operations.length)
      for (const { request } of items) {
        expect(request.url.raw).toMatch(/^\{\{baseUrl\}\}\//)
        const key = request.header.find((header) => header.key === "Idempotency-Key")?.value
        const isOrder = request.method === "POST" && request.url.raw === "{{baseUrl}}/orders"
        const hasKey = (name === "platform" && request.method !== "GET") || (name === "content" && isOrder)
        expect(key).toBe(hasKey ? "{{$guid}}" : undefined)
      }
      expect(body.variable[0]).toMatchObject({ key: "baseUrl", value: `https://localhost${BASES[name]}` })
    }
  })

  test("a Postman collection sends the credential that each operation needs, and files as forms", async () => {
    const load = async (name: string) => {
      const { item } = (await call("GET", `/openapi/${name}.postman.json`)).body
      return new Map<string, { auth?: { apikey: { value: string }[] }; body?: object }>(
        item.flatMap((folder: { item: { request: { method: string; url: { raw: string } } }[] }) =>
          folder.item.map(({ request }) => [
            `${request.method} ${request.url.raw.replace("{{baseUrl}}", "")}`,
            request,
          ]),
        ),
      )
    }
    const content = await load("content")
    expect(content.get("POST /media/files")).toMatchObject({
      auth: { type: "apikey", apikey: [{ value: "X-API-KEY" }, { value: "{{siteKey}}" }] },
      body: {
        mode: "formdata",
        formdata: [
          { key: "folder_id", type: "text" },
          { key: "file", type: "file" },
        ],
      },
    })
    expect(content.get("GET /me")).not.toHaveProperty("auth")
    expect(content.get("POST /login")).toMatchObject({ auth: { type: "noauth" } })
    const license = await load("license")
    expect(license.get("POST /external/license/verify")).not.toHaveProperty("auth")
    expect(license.get("GET /internal/products")?.auth?.apikey[1]?.value).toBe("{{internalKey}}")
  })
})

describe("examples of the documents", () => {
  const bodyOf = (name: keyof typeof FILES, path: string) =>
    JSON.parse(FILES[name]).paths[path].post.requestBody.content["application/json"].example

  test("creates a store and a domain from the control plane's examples", async () => {
    const token = await makeKey()
    await makePlan({ slug: "starter" })
    const paths = ["/stores", "/stores/{id}/domains"]
    for (const path of paths) {
      const { status, text } = await platformCall("POST", path.replace("{id}", "acme"), {
        token,
        json: bodyOf("platform", path),
      })
      expect.soft(status, `${path}: ${text}`).toBe(path === "/stores" ? 202 : 201)
    }
  })

  test("creates products, versions and licenses from the license manager's examples", async () => {
    const vendor = await internalClient()
    const paths = ["/products", "/products/{product}/versions", "/product-licenses"]
    for (const path of paths) {
      const json = bodyOf("license", `/internal${path}`)
      const { status, text } = await vendor("POST", path.replace("{product}", "ACME-SEO"), { json })
      expect.soft(status, `${path}: ${text}`).toBe(201)
    }
    const client = await externalClient()
    const { body } = await client("POST", "/license/activate", {
      json: bodyOf("license", "/external/license/activate"),
      headers: { "X-API-URL": "shop.example.com" },
    })
    expect(body).toMatchObject({ is_active: true, message: "Activated." })
  })
})
