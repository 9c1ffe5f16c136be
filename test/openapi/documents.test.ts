// The documents in openapi/ are what the routes say today, and their examples are true.
import { Validator } from "@cfworker/json-schema"
import { describe, expect, test } from "vitest"
import content from "../../openapi/content.json?raw"
import license from "../../openapi/license.json?raw"
import platform from "../../openapi/platform.json?raw"
import clientTypes from "../../src/client/openapi.ts?raw"
import { LICENSE_EVENTS, PING, SUBSCRIBABLE_EVENTS } from "../../src/core/write/event-types"
import { platformSignature, standardSignature } from "../../src/webhooks/sign"
import { clientModule, documentFiles } from "../../tools/openapi/generated"

test.each(Object.entries({ "platform.json": platform, "content.json": content, "license.json": license }))(
  "openapi/%s is fresh (npm run docs writes it)",
  (name, text) => {
    // Not by `toBe`, whose difference would be the whole document.
    expect(documentFiles()[name] === text).toBe(true)
  },
)

test("the client's types are fresh (npm run docs writes them)", () => {
  expect(clientModule() === clientTypes).toBe(true)
})

describe("examples", () => {
  const apis = { platform, content, license }

  test.each(Object.entries(apis))("of %s are what their schemas say", (_, text) => {
    const document = JSON.parse(text)
    const $defs = JSON.parse(
      JSON.stringify(document.components.schemas).replaceAll("#/components/schemas/", "#/$defs/"),
    )
    const seen: string[] = []
    visit(document, (media, where) => {
      const schema = JSON.parse(JSON.stringify(media.schema).replaceAll("#/components/schemas/", "#/$defs/"))
      const validator = new Validator({ ...schema, $defs }, "2020-12", false)
      for (const example of examplesOf(media)) {
        const { valid, errors } = validator.validate(example)
        expect.soft(valid, `${where}: ${errors.map((one) => `${one.instanceLocation} ${one.error}`).join()}`).toBe(true)
        seen.push(where)
      }
    })
    expect(seen.length).toBeGreaterThan(90)
  })

  test("of events are signed: the whole secret keys the timestamp and the example's bytes", async () => {
    for (const [type, { post }] of Object.entries<Record<string, EventOperation>>(JSON.parse(platform).webhooks)) {
      const secret = /`(whsec_[^`]+)`/.exec(post?.description ?? "")?.[1] ?? ""
      const header = (name: string) => post?.parameters.find((one) => one.name === name)?.example ?? ""
      const body = JSON.stringify(post?.requestBody.content["application/json"].example)
      const timestamp = Number(header("webhook-timestamp"))
      const signable = { id: header("webhook-id"), timestamp, body }
      expect.soft(header("X-Tenancy-Signature"), type).toBe(await platformSignature(secret, signable))
      expect.soft(header("webhook-signature"), type).toBe(await standardSignature(secret, signable))
      expect.soft(header("X-Tenancy-Event")).toBe(type)
    }
  })
})

test("every event that can be subscribed to is among the webhooks, and the ping", () => {
  expect(Object.keys(JSON.parse(platform).webhooks).sort()).toEqual(
    [...SUBSCRIBABLE_EVENTS, ...LICENSE_EVENTS, PING].sort(),
  )
})

test("every code that an operation refuses with says what it means", () => {
  const document = JSON.parse(platform)
  const told = new Set(
    [...JSON.stringify(document.paths).matchAll(/"code":\{"type":"string","enum":\[([^\]]*)\]/g)].flatMap(
      ([, codes = ""]) => JSON.parse(`[${codes}]`),
    ),
  )
  expect(told.size).toBeGreaterThan(20)
  expect([...told].filter((code) => !(code in document["x-codes"]))).toEqual([])
})

interface EventOperation {
  description: string
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

/** Every JSON body of a document. */
function visit(node: unknown, found: (media: Media, where: string) => void, where = ""): void {
  if (node === null || typeof node !== "object") return
  for (const [key, value] of Object.entries(node)) {
    if (key === "application/json") found(value as Media, where)
    else if (key !== "example" && key !== "examples") visit(value, found, `${where}/${key}`)
  }
}
