// OWASP API1, broken object level authorization: calls every documented operation of the content API with the ids of
// another store's resources and of another customer's, in the path and the body. No data leaks and nothing changes.
import { expect, test } from "vitest"
import { postForm } from "../console/support"
import { call, type TestResponse } from "../support/app"
import { makeUser } from "../support/content-factories"
import { CREDENTIAL_HEADERS, disableRateLimits } from "../support/credentials"
import { makeFullStore, makeUnlimitedStore } from "../support/full-store"
import { makeServerKey } from "../support/key-factories"
import { type DocumentedOperation, listOperations } from "../support/operations"
import { diffStates, readState } from "../support/state"

const SECRET = "secret-of-the-neighbour"
const PERSONAL = "between-alice-and-the-shop"

/** Operations that would invalidate the attacker's own credential. */
const SELF_REVOKING = new Set(["accounts.logOut", "profile.updatePassword"])

/** Replaces every id in an example body. */
function replaceIds(example: unknown, id: number): unknown {
  if (Array.isArray(example)) return example.map((item) => (typeof item === "number" ? id : replaceIds(item, id)))
  if (example === null || typeof example !== "object") return example
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      /_id$/.test(name) && typeof value === "number" ? id : replaceIds(value, id),
    ]),
  )
}

/** Builds the requests of an operation for each foreign id. */
function buildRequests({ method, path, example }: DocumentedOperation, ids: (number | string)[]) {
  const hasId = path.includes("{") || JSON.stringify(example ?? {}) !== JSON.stringify(replaceIds(example ?? {}, -1))
  return (hasId ? ids : [1]).map((id) => ({
    method,
    path: path.replace(/\{\w+\}/, String(id)),
    json: method === "GET" ? undefined : replaceIds(example ?? {}, typeof id === "number" ? id : 1),
  }))
}

async function findLeaks(
  operations: DocumentedOperation[],
  ids: (number | string)[],
  headers: Record<string, string>,
  host: string,
  check: (response: TestResponse, operation: DocumentedOperation) => string | null,
  /** Sends only every nth id, others for each operation. */
  nth = 1,
): Promise<string[]> {
  const leaks: string[] = []
  for (const [index, operation] of operations.entries()) {
    const sentIds = ids.filter((_, position) => (position + index) % nth === 0)
    for (const { method, path, json } of buildRequests(operation, sentIds)) {
      const response = await call(method, path, { host, headers, ...(json !== undefined && { json }) })
      const problem = response.status >= 500 ? String(response.status) : check(response, operation)
      if (problem) leaks.push(`${method} ${path}: ${problem}`)
    }
  }
  return leaks
}

const operations = listOperations("content").filter(({ id }) => !SELF_REVOKING.has(id))

test("a store's resources are neither visible nor changeable from another store", async () => {
  const a = await makeFullStore(SECRET, PERSONAL)
  const b = await makeUnlimitedStore()
  const customer = await makeUser(b.id)
  const callers = {
    staff: CREDENTIAL_HEADERS.Authorization(b.staff.token),
    customer: CREDENTIAL_HEADERS.Authorization(customer.token),
    server: CREDENTIAL_HEADERS["X-API-KEY"](await makeServerKey(b.id, "internal")),
    anonymous: {},
  }
  disableRateLimits()
  const before = await readState()
  const ids = [...a.ids, a.reference, "post", "page", "cat", "tag"]
  const leaks: string[] = []
  for (const [name, headers] of Object.entries(callers)) {
    const check = ({ text }: TestResponse) => (text.includes(SECRET) || text.includes(PERSONAL) ? "leaks it" : null)
    // Staff have the most rights, so they try every id.
    const callerLeaks = await findLeaks(operations, ids, headers, b.host, check, name === "staff" ? 1 : 4)
    leaks.push(...callerLeaks.map((line) => `${name}: ${line}`))
  }
  expect(leaks).toEqual([])
  const isOfA = (line: string) =>
    line.includes(`"site_id":"${a.id}"`) || line.includes(`"store_id":"${a.id}"`) || line.includes(`${a.id}/`)
  expect(diffStates(before, await readState()).filter(isOfA)).toEqual([])
  const file = new URL(a.file, "http://x").pathname
  expect((await call("GET", file, { host: b.host })).status).toBe(404)
  expect((await call("GET", file, { host: "localhost" })).status).toBe(404)
  expect((await call("GET", file, { host: a.host })).text).toBe(SECRET)
}, 120_000)

test("a customer's data is neither visible nor changeable for another customer of the store", async () => {
  const a = await makeFullStore(SECRET, PERSONAL)
  const mallory = await makeUser(a.id)
  disableRateLimits()
  const before = await readState()
  const leaks = await findLeaks(
    operations,
    [...a.ids, a.reference],
    CREDENTIAL_HEADERS.Authorization(mallory.token),
    a.host,
    ({ text }) => (text.includes(PERSONAL) && !text.includes(SECRET) ? "leaks it" : null),
  )
  expect(leaks).toEqual([])
  const after = await readState()
  const isHers = (line: string) => line.includes(`"user_id":${mallory.id}`) || line.includes(mallory.email)
  // Her own allowed writes change counters, versions and product stock.
  const removedRows = diffStates(before, after).filter(
    (line) =>
      line.startsWith("-") &&
      !/^- (central|sites)\.(counters|site_counters|products|content_versions|site_versions)\b/.test(line),
  )
  expect(removedRows.filter((line) => !isHers(line))).toEqual([])
}, 120_000)

test("a store's bank transfers and receipts are not visible to the owner of another store", async () => {
  const a = await makeFullStore(SECRET, PERSONAL)
  const b = await makeUnlimitedStore()
  const headers = CREDENTIAL_HEADERS.Cookie(b.staff.token)
  disableRateLimits()
  const before = await readState()
  const withdrawn = await postForm(`/billing/orders/${a.reference}/withdraw`, {}, { host: b.host, headers })
  expect(withdrawn.status).not.toBe(500)
  expect(withdrawn.text).not.toContain(a.reference)
  expect((await call("GET", "/billing/invoices/INV-2026-000001", { host: b.host, headers })).status).toBe(404)
  expect(diffStates(before, await readState())).toEqual([])
})
