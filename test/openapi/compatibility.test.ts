// The promises of docs/guides/versioning.md: changes under a version are compatible, the changelog names the version, and
// requests may have fields and parameters that the platform does not know.
import { describe, expect, test } from "vitest"
import guide from "../../docs/guides/versioning.md?raw"
import publishedText from "../../openapi/published.json?raw"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { API_VERSION } from "../../src/core/write/events"
import { licenseManager } from "../../src/license/app"
import { platform as platformApp } from "../../src/platform/app"
import { describeContract, listIncompatibleChanges, publishContract } from "../../tools/openapi/compatibility"
import { buildDocuments, type Document } from "../../tools/openapi/documents"
import { publishedFile } from "../../tools/openapi/generated"
import type { JsonSchema } from "../../tools/openapi/json-schema"
import { platform } from "../support/app"
import { makeKey } from "../support/factories"
import { listOperations } from "../support/operations"

const document = buildDocuments().platform
const contract = describeContract(document)
const published = JSON.parse(publishedText)

test("the control plane is compatible with everything that was published under its version", () => {
  expect(published.version).toBe(API_VERSION)
  expect(Object.keys(published.contract).length).toBeGreaterThan(1_500)
  // If this fails: keep what clients rely on, or raise `API_VERSION` and add it to the changelog of the guide.
  expect(listIncompatibleChanges(published.contract, contract)).toEqual([])
})

test("openapi/published.json is up to date (npm run docs writes it)", () => {
  expect(publishedFile(publishedText) === publishedText).toBe(true)
})

test("the changelog starts with the version", () => {
  const [, version] = /^\| Version \| Changes \|\n\| --- \| --- \|\n\| `(.+?)` \|/m.exec(guide) ?? []
  expect(version).toBe(API_VERSION)
})

describe("changes", () => {
  /** Changes a copy of the document, and returns the incompatible changes. */
  function compare(change: (copy: Document, schemas: Record<string, Required<JsonSchema>>) => void): string[] {
    const copy = structuredClone(document)
    change(copy, copy.components.schemas as Record<string, Required<JsonSchema>>)
    const changes = listIncompatibleChanges(contract, describeContract(copy)).sort()
    const merged = publishContract({ version: "1", contract }, { version: "1", contract: describeContract(copy) })
    // Generating the file again does not hide an incompatible change.
    expect(listIncompatibleChanges(merged.contract, describeContract(copy)).sort()).toEqual(changes)
    return changes
  }

  test.each<[string, string[], Parameters<typeof compare>[0]]>([
    ["an operation is removed", ["DELETE /keys/{id} was removed"], ({ paths }) => delete paths["/keys/{id}"]?.delete],
    [
      "an operation gets another id",
      ["GET /me lacks the value me.get"],
      ({ paths }) => Object.assign(paths["/me"]?.get ?? {}, { operationId: "me.read" }),
    ],
    ["an event type is removed", ["event ping was removed"], ({ webhooks }) => delete webhooks?.ping],
    [
      "a field of a response is removed",
      ["out Store.theme was removed"],
      (_, { Store }) => delete Store?.properties.theme,
    ],
    [
      "a field of a response gets another type",
      ["out Store.name has the type null or string instead of string"],
      (_, { Store }) => Object.assign(Store?.properties.name ?? {}, { type: ["string", "null"] }),
    ],
    [
      "a field of a response may be missing",
      ["out Store.name became optional"],
      (_, { Store }) => Store?.required.splice(Store.required.indexOf("name"), 1),
    ],
    [
      "a value is removed",
      ["out Store.status lacks the value failed"],
      (_, { Store }) => Store?.properties.status?.enum?.splice(3, 1),
    ],
    [
      "a field of a request is removed",
      ["in StoresCreateRequest.plan was removed"],
      (_, { StoresCreateRequest }) => delete StoresCreateRequest?.properties.plan,
    ],
    [
      "an optional field of a request becomes required",
      ["in StoresCreateRequest.plan became required"],
      (_, { StoresCreateRequest }) => StoresCreateRequest?.required.push("plan"),
    ],
    [
      "a field of a request accepts fewer types",
      ["in StoresCreateRequest.plan has the type string instead of null or string"],
      (_, { StoresCreateRequest }) =>
        Object.assign(StoresCreateRequest?.properties ?? {}, { plan: { type: "string" } }),
    ],
    [
      "a new field of a request is required",
      ["in StoresCreateRequest.region is required, but new"],
      (_, { StoresCreateRequest }) => {
        Object.assign(StoresCreateRequest?.properties ?? {}, { region: { type: "string" } })
        StoresCreateRequest?.required.push("region")
      },
    ],
    [
      "an error code is removed",
      ["code subdomain_taken was removed"],
      (copy) => {
        delete (copy["x-codes"] as Record<string, unknown>).subdomain_taken
      },
    ],
  ])("is incompatible when %s", (_, expected, change) => {
    const changes = compare(change)
    // What only the removed operation or event contains is removed, too.
    expect(
      changes.filter((line) => !/^(out PingEvent|event ping body|DELETE \/keys\/\{id\} (?!was))/.test(line)),
    ).toEqual(expected.sort())
  })

  test("is compatible when operations, parameters, fields, values, event types and codes are new", () => {
    const changes = compare((copy, { Store, StoresCreateRequest, StoreReadyEvent }) => {
      Object.assign(copy.paths, { "/themes": { get: { ...copy.paths["/me"]?.get, operationId: "themes.list" } } })
      const parameter = { name: "theme", in: "query", schema: { type: "string" } }
      copy.paths["/stores"]?.get?.parameters?.push(parameter)
      Object.assign(Store?.properties ?? {}, { region: { type: "string" } })
      Store?.properties.status?.enum?.push("archived")
      Object.assign(StoresCreateRequest?.properties ?? {}, { region: { type: "string" } })
      Object.assign(copy.webhooks ?? {}, { "store.moved": copy.webhooks?.["store.ready"] })
      Object.assign(copy["x-codes"] ?? {}, { store_moved: {} })
      expect(StoreReadyEvent).toBeDefined()
    })
    expect(changes).toEqual([])
  })

  test("start a new contract when the version is raised", () => {
    const raised = publishContract({ version: "1", contract }, { version: "2", contract: { "GET /me": {} } })
    expect(raised).toEqual({ version: "2", contract: { "GET /me": {} } })
  })
})

test("every request may have fields and parameters that the platform does not know", async () => {
  const routes = [...routeTable(platformApp), ...routeTable(await loadContentRoutes()), ...routeTable(licenseManager)]
  const examples = new Map(
    (["platform", "content", "license"] as const)
      .flatMap(listOperations)
      .map((operation) => [operation.id, operation.example]),
  )
  const unknown = { unknown_field: 1 }
  let bodies = 0
  for (const { id, input, fields } of routes) {
    const body = input.json ?? fields
    const example = examples.get(id)
    if (body && example) {
      const known = body.safeParse(example)
      const { success, data } = body.safeParse({ ...example, ...unknown })
      expect([success, data], id).toEqual([known.success, known.data])
      bodies += 1
    }
    if (input.query) expect(input.query.safeParse(unknown).data, id).toEqual(input.query.safeParse({}).data)
  }
  expect(bodies).toBeGreaterThan(60)
})

test("a request cannot choose the version", async () => {
  const headers = { "X-Tenancy-Api-Version": "2020-01-01" }
  const response = await platform("GET", "/me", { token: await makeKey(), headers })
  expect([response.status, response.headers.get("X-Tenancy-Api-Version")]).toEqual([200, API_VERSION])
})
