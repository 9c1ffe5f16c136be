// The documents and the validators say the same: what a document allows no validator refuses, and each keyword of a field (its length,
// its bounds, its pattern, its choices) is one that a validator holds it to. Nothing is sent; look-ups come behind all this.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type * as z from "zod"
import type { RouteInfo } from "../../src/core/http/route"
import type { Document, Operation } from "../../tools/openapi/document"
import { APIS, buildDocument } from "../../tools/openapi/documents"
import { ValuePool } from "../../tools/openapi/fuzz-pool"
import type { JsonSchema } from "../../tools/openapi/json-schema"
import { generateValid, listViolations, resolveRef, type Violation } from "../../tools/openapi/values"

/** What an operation takes in one place, by its document and by its validator. */
interface Taken {
  name: string
  document: Document
  schema: JsonSchema
  validator: z.ZodType
  /** A value of the document's as the validator meets it. */
  sent(value: Fields): Fields
}

type Fields = Record<string, unknown>

/** Choices that no document could list. */
const pool = new ValuePool({ timezone: ["UTC", "Europe/Paris", "Asia/Ho_Chi_Minh"] })

/** In a query everything is text, and a list is one with commas. */
const asQuery = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, queryText(value)]))

const queryText = (value: unknown): string =>
  typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : String(value)

function taken(document: Document, route: RouteInfo, operation: Operation): Taken[] {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === "query")
  const query: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name = "", schema = {} }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name = "" }) => name),
  }
  const body = operation.requestBody?.content["application/json"]?.schema
  const validator = (route.input.json ?? route.fields) as z.ZodType | undefined
  return [
    ...(route.input.query
      ? [{ name: `${route.id} query`, document, schema: query, validator: route.input.query, sent: asQuery }]
      : []),
    ...(body && validator
      ? [{ name: `${route.id} body`, document, schema: body, validator, sent: (value: Fields) => value }]
      : []),
  ]
}

const all = Object.values(APIS).flatMap((api) => {
  const document = buildDocument(api)
  const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs))
  return api.routes.flatMap((route) => {
    const operation = operations.find(({ operationId }) => operationId === route.id)
    return operation ? taken(document, route, operation) : []
  })
})

/** What documents ask for and validators take otherwise, with the reason. */
const LENIENT: Record<string, string> = {
  "url pattern": "the address is judged where DNS can be asked, with every other rule of addresses",
}

/** Whether a validator takes nothing at all for it just as well: clients empty a field with an empty text. */
const isEmptying = ({ validator, sent }: Taken, sound: Fields, field: string, { value }: Violation): boolean =>
  value === "" && validator.safeParse(sent({ ...sound, [field]: null })).success

describe("the documents and the validators", () => {
  test("are compared for every operation that takes a query or a body", () => {
    expect(all.length).toBeGreaterThan(90)
  })

  test.each(all.map((one) => [one.name, one] as const))("what the document allows is taken: %s", (_, one) => {
    fc.assert(
      fc.property(generateValid({ document: one.document, pool, onlyPooled: true }, one.schema), (value) => {
        const result = one.validator.safeParse(one.sent(value as Fields))
        expect(result.error?.issues ?? []).toEqual([])
      }),
      { numRuns: 40, seed: 20_261_122 },
    )
  })

  test.each(all.map((one) => [one.name, one] as const))("what the document does not allow is refused: %s", (_, one) => {
    const schema = resolveRef(one.document, one.schema)
    const full = { ...schema, required: Object.keys(schema.properties ?? {}) }
    const [sound] = fc.sample(generateValid({ document: one.document, pool, onlyPooled: true }, full), {
      numRuns: 1,
      seed: 7,
    }) as Fields[]
    const taken = (fields: Fields) => one.validator.safeParse(one.sent(fields)).success
    expect(taken(sound ?? {}), JSON.stringify(sound)).toBe(true)
    for (const field of schema.required ?? []) {
      const { [field]: _gone, ...rest } = sound ?? {}
      expect.soft(taken(rest), `without ${field}`).toBe(false)
    }
    for (const [field, inner] of Object.entries(schema.properties ?? {})) {
      for (const violation of listViolations(one.document, inner, sound?.[field])) {
        // In a query there is nothing but text.
        if (violation.keyword === "type" && one.sent === asQuery && inner.type === "string") continue
        if (`${field} ${violation.keyword}` in LENIENT || isEmptying(one, sound ?? {}, field, violation)) continue
        const shown = JSON.stringify(violation.value)?.slice(0, 80)
        expect
          .soft(taken({ ...sound, [field]: violation.value }), `${field}, ${violation.keyword}: ${shown}`)
          .toBe(false)
      }
    }
  })
})
