// Imports the Postman collections with Postman's own library, and builds every request as Postman would send it.
import { createRequire } from "node:module"
import { buildPostmanCollection } from "../../../src/docs/postman.ts"
import type { DocumentEdition } from "./editions.ts"

// Node finds no named exports in this CommonJS package.
const { Collection } = createRequire(import.meta.url)("postman-collection") as typeof import("postman-collection")

/** Returns a line per request that Postman cannot send as it is. */
export function importCollection({ name, text }: DocumentEdition): string[] {
  const source = JSON.parse(buildPostmanCollection(name as "platform" | "content" | "license", text))
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
    if (!(auth ?? item.getAuth())) problems.push(`${where}: no authentication`)
  })
  const operations = Object.values(JSON.parse(text).paths).flatMap((methods) => Object.keys(methods as object)).length
  if (count !== operations) problems.push(`${name}: ${count} requests for ${operations} operations`)
  return problems
}
