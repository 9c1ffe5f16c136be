// The check of the Postman collections with Postman's published JSON schema notices a collection that is not valid.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { buildPostmanCollection } from "../../src/docs/postman"
import { root } from "../../tools/lib/project"
import { checkCollection, validateCollection } from "../../tools/openapi/tool-check/postman"

const NAMES = ["platform", "content", "license"] as const

const readDocument = (name: string) => readFileSync(join(root, `openapi/${name}.json`), "utf8")

test.each(NAMES)("the collection of %s is valid, and Postman's library imports every request", async (name) => {
  expect(await checkCollection({ name, version: "3.1", text: readDocument(name) })).toEqual([])
})

interface Collection {
  auth: { type: string }
  item: { item: { request?: { url: { path: unknown } } }[] }[]
}

test.each<[string, (collection: Collection) => void, string]>([
  ["an unknown kind of authentication", ({ auth }) => Object.assign(auth, { type: "token" }), "/auth/type"],
  [
    "a path that is no list",
    ({ item }) => Object.assign(item[0]?.item[0]?.request?.url ?? {}, { path: 7 }),
    "/url/path",
  ],
  ["an item without a request", ({ item }) => delete item[0]?.item[0]?.request, "/item/0/item/0"],
])("refuses %s", async (_, breakCollection, where) => {
  const collection = JSON.parse(buildPostmanCollection("platform", readDocument("platform")))
  breakCollection(collection)
  const problems = await validateCollection("platform", collection)
  expect(problems.join("\n")).toContain(where)
})
