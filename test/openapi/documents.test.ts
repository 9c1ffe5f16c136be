// The documents in openapi/ match the routes, and their examples match their schemas.
import { Validator } from "@cfworker/json-schema"
import { describe, expect, test } from "vitest"
import content from "../../openapi/content.json?raw"
import license from "../../openapi/license.json?raw"
import platform from "../../openapi/platform.json?raw"
import contentModule from "../../src/client/content-openapi.ts?raw"
import licenseModule from "../../src/client/license-openapi.ts?raw"
import platformModule from "../../src/client/openapi.ts?raw"
import { EVENT_TYPES, PING } from "../../src/core/write/event-types"
import { buildPlatformSignature, buildStandardSignature } from "../../src/webhooks/sign"
import registeredDocs from "../../tools/openapi/docs.ts?raw"
import { clientModules, documentFiles } from "../../tools/openapi/generated"

test.each(Object.entries({ "platform.json": platform, "content.json": content, "license.json": license }))(
  "openapi/%s is up to date (npm run docs writes it)",
  (name, text) => {
    // `toBe` on the text would print the whole document on failure.
    expect(documentFiles()[name] === text).toBe(true)
  },
)

test("the client's modules are up to date (npm run docs writes them)", () => {
  const modules = {
    "openapi.ts": platformModule,
    "content-openapi.ts": contentModule,
    "license-openapi.ts": licenseModule,
  }
  const generated = clientModules()
  expect(Object.keys(generated)).toEqual(Object.keys(modules))
  for (const [name, text] of Object.entries(modules)) expect(generated[name] === text, name).toBe(true)
})

describe("examples", () => {
  const apis = { platform, content, license }

  test.each(Object.entries(apis))("all examples of the %s document match their schemas", (_, text) => {
    const document = JSON.parse(text)
    const $defs = JSON.parse(
      JSON.stringify(document.components.schemas).replaceAll("#/components/schemas/", "#/$defs/"),
    )
    const checked: string[] = []
    visit(document, (media, where) => {
      const schema = JSON.parse(JSON.stringify(media.schema).replaceAll("#/components/schemas/", "#/$defs/"))
      const validator = new Validator({ ...schema, $defs }, "2020-12", false)
      for (const example of examplesOf(media)) {
        const { valid, errors } = validator.validate(example)
        expect.soft(valid, `${where}: ${errors.map((one) => `${one.instanceLocation} ${one.error}`).join()}`).toBe(true)
        checked.push(where)
      }
    })
    expect(checked.length).toBeGreaterThan(90)
  })

  test("the examples of events have signatures that verify", async () => {
    const document = JSON.parse(platform)
    const tag = document.tags.find(({ name }: { name: string }) => name === "webhooks")
    const secret = /`(whsec_[^`]+)`/.exec(tag.description)?.[1] ?? ""
    for (const [type, { post }] of Object.entries<Record<string, EventOperation>>(document.webhooks)) {
      const header = (name: string) => post?.parameters.find((one) => one.name === name)?.example ?? ""
      const body = JSON.stringify(post?.requestBody.content["application/json"].example)
      const timestamp = Number(header("webhook-timestamp"))
      const signable = { id: header("webhook-id"), timestamp, body }
      expect.soft(header("X-Tenancy-Signature"), type).toBe(await buildPlatformSignature(secret, signable))
      expect.soft(header("webhook-signature"), type).toBe(await buildStandardSignature(secret, signable))
      expect.soft(header("X-Tenancy-Event")).toBe(type)
    }
  })
})

test("the webhooks of the document are the subscribable events and the ping", () => {
  expect(Object.keys(JSON.parse(platform).webhooks).sort()).toEqual([...EVENT_TYPES, PING].sort())
})

test("every error code of an operation is described", () => {
  const document = JSON.parse(platform)
  const codes = new Set(
    [...JSON.stringify(document.components.schemas).matchAll(/"code":\{"type":"string","enum":\[([^\]]*)\]/g)].flatMap(
      ([, list = ""]) => JSON.parse(`[${list}]`),
    ),
  )
  expect(codes.size).toBeGreaterThan(20)
  expect([...codes].filter((code) => !(code in document["x-codes"]))).toEqual([])
})

test("the generator imports every schemas.docs.ts, and the Worker none", () => {
  const docs = Object.keys(
    import.meta.glob("../../src/**/schemas.docs.ts", { query: "?raw", import: "default", eager: true }),
  )
  expect(docs.length).toBeGreaterThan(30)
  // The docs.ts of an app imports those of its resources.
  const ofApps = Object.entries(
    import.meta.glob("../../src/apps/*/docs.ts", { query: "?raw", import: "default", eager: true }),
  ).flatMap(([path, text]) =>
    [...String(text).matchAll(/import "\.(\/.*schemas\.docs)"/g)].map(
      ([, docs]) => `${path.replace("/docs.ts", "")}${docs}.ts`,
    ),
  )
  expect(docs.filter((path) => !registeredDocs.includes(`"${path}"`) && !ofApps.includes(path))).toEqual([])
  const sources = import.meta.glob("../../src/**/{routes,schemas,service,app}.ts", {
    query: "?raw",
    import: "default",
    eager: true,
  })
  const importing = Object.entries(sources).filter(([, text]) =>
    /from ".*(schemas\.docs|field-docs)"/.test(String(text)),
  )
  expect(importing.map(([path]) => path)).toEqual([])
})

interface EventOperation {
  parameters: { name: string; example: string }[]
  requestBody: { content: { "application/json": { example: unknown } } }
}

interface Media {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

const examplesOf = ({ example, examples }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples ?? {}).map(({ value }) => value),
]

/** Visits every JSON body of a document. */
function visit(node: unknown, found: (media: Media, where: string) => void, where = ""): void {
  if (node === null || typeof node !== "object") return
  for (const [key, value] of Object.entries(node)) {
    if (key === "application/json") found(value as Media, where)
    else if (key !== "example" && key !== "examples") visit(value, found, `${where}/${key}`)
  }
}
