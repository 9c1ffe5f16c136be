// Checks the Postman collections with the JSON schema that Postman publishes for the format 2.1, then imports them with
// Postman's own library and builds every request as Postman would send it.
import { createRequire } from "node:module"
import { buildPostmanCollection } from "../../../src/docs/postman.ts"
import type { DocumentEdition } from "./editions.ts"

const require = createRequire(import.meta.url)
// Node finds no named exports in these CommonJS packages.
const { Collection } = require("postman-collection") as typeof import("postman-collection")
const { PostmanValidator } = require("@har-sdk/validator") as typeof import("@har-sdk/validator")

const validator = new PostmanValidator()

/** Returns a line for each part of the collection that is not valid, or that Postman cannot send as it is. */
export async function checkCollection({ name, text }: DocumentEdition): Promise<string[]> {
  const source = JSON.parse(buildPostmanCollection(name as "platform" | "content" | "license", text))
  return [...(await validateCollection(name, source)), ...importCollection(name, source, text)]
}

/** Returns a line for each violation of the published schema. */
export async function validateCollection(name: string, collection: object): Promise<string[]> {
  const errors = await validator.verify(collection as Parameters<typeof validator.verify>[0])
  return errors.map(({ instancePath, message }) => `${name}: ${instancePath} ${message}`)
}

function importCollection(name: string, source: object, text: string): string[] {
  const collection = new Collection(source)
  const problems: string[] = []
  let count = 0
  collection.forEachItem((item) => {
    count += 1
    const { method, url, body, auth } = item.request
    const path = url.getPath()
    const where = `${name}: ${method} ${path}`
    // The library replaces `:name` by the variable of that name, and keeps it where there is none.
    if (/\/:|\/\/|\/$/.test(path)) problems.push(`${where}: a path parameter has no value`)
    if (/undefined|\[object/.test(item.request.url.toString())) problems.push(`${where}: a value is missing`)
    if (body?.mode === "raw") JSON.parse(body.toString())
    if (body?.isEmpty()) problems.push(`${where}: the body is empty`)
    if (!(auth ?? item.getAuth())) problems.push(`${where}: no authentication`)
  })
  const operations = Object.values(JSON.parse(text).paths).flatMap((methods) => Object.keys(methods as object)).length
  if (count !== operations) problems.push(`${name}: ${count} requests for ${operations} operations`)
  return problems
}
