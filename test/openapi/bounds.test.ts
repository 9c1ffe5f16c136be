// Documents and validators agree: validators accept every value that a document allows, and enforce every keyword of a
// field. Nothing is sent, so lookups are not involved.
import { type Schema, Validator } from "@cfworker/json-schema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type * as z from "zod"
import type { RouteInfo } from "../../src/core/http/route"
import type { Document, Operation } from "../../tools/openapi/document"
import { APIS, buildDocument } from "../../tools/openapi/documents"
import { ValuePool } from "../../tools/openapi/fuzz-pool"
import type { JsonSchema } from "../../tools/openapi/json-schema"
import { generateValid, listViolations, resolveRef, type Violation } from "../../tools/openapi/values"

/** The query or the body of an operation, in its document and in its validator. */
interface Taken {
  name: string
  document: Document
  schema: JsonSchema
  validator: z.ZodType
  /** Converts a value to the form that the validator receives. */
  sent(value: Fields): Fields
}

type Fields = Record<string, unknown>

/** Choices that the documents cannot list. */
const pool = new ValuePool({ timezone: ["UTC", "Europe/Paris", "Asia/Ho_Chi_Minh"] })

/** Converts values to query parameters: strings, and comma-separated lists. */
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

/** Keywords that validators do not enforce, with the reason. */
const LENIENT: Record<string, string> = {
  "url pattern": "the URL is checked by the service, which can query DNS",
}

/** Whether a validator accepts null for the field: clients clear such a field with an empty string. */
const isEmptying = ({ validator, sent }: Taken, sound: Fields, field: string, { value }: Violation): boolean =>
  value === "" && validator.safeParse(sent({ ...sound, [field]: null })).success

describe("the documents and the validators", () => {
  test("cover every operation with a query or a body", () => {
    expect(all.length).toBeGreaterThan(90)
  })

  test.each(all.map((one) => [one.name, one] as const))(
    "the validator accepts what the document allows: %s",
    (_, one) => {
      fc.assert(
        fc.property(generateValid({ document: one.document, pool, onlyPooled: true }, one.schema), (value) => {
          const result = one.validator.safeParse(one.sent(value as Fields))
          expect(result.error?.issues ?? []).toEqual([])
        }),
        { numRuns: 40, seed: 20_261_122 },
      )
    },
  )

  test.each(all.map((one) => [one.name, one] as const))(
    "the validator rejects what the document does not allow: %s",
    (_, one) => {
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
          // Every query parameter is a string.
          if (violation.keyword === "type" && one.sent === asQuery && inner.type === "string") continue
          if (`${field} ${violation.keyword}` in LENIENT || isEmptying(one, sound ?? {}, field, violation)) continue
          const shown = JSON.stringify(violation.value)?.slice(0, 80)
          expect
            .soft(taken({ ...sound, [field]: violation.value }), `${field}, ${violation.keyword}: ${shown}`)
            .toBe(false)
        }
      }
    },
  )

  test.each(all.filter(({ sent }) => sent !== asQuery).map((one) => [one.name, one] as const))(
    "the document allows null where the validator accepts it: %s",
    (_, { document, schema, validator }) => {
      const resolved = resolveRef(document, schema)
      const [sound] = fc.sample(generateValid({ document, pool, onlyPooled: true }, schema), { numRuns: 1, seed: 7 })
      for (const [field, inner] of Object.entries(resolved.properties ?? {})) {
        if (!validator.safeParse({ ...(sound as Fields), [field]: null }).success) continue
        const { valid } = new Validator({ ...inner, components: document.components } as Schema, "2020-12").validate(
          null,
        )
        expect.soft(valid, field).toBe(true)
      }
    },
  )
})
