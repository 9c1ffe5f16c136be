// API1, broken object level authorisation: every operation that the content API's document has, with the ids of another store's things, and
// with those of another customer of the same store, in the path and in the body. Nothing is shown, and nothing of theirs is changed.
import { expect, test } from "vitest"
import { post } from "../console/support"
import { type Answer, call } from "../support/app"
import { makeUser } from "../support/content-factories"
import { WAYS, withoutBudgets } from "../support/credentials"
import { makeServerKey } from "../support/key-factories"
import { type DocumentedOperation, operationsOf } from "../support/operations"
import { differences, everything } from "../support/state"
import { makeFullStore, makeOpenStore } from "../support/world"

const SECRET = "secret-of-the-neighbour"
const PERSONAL = "between-alice-and-the-shop"

/** What would end the attacker's own way in. */
const SUICIDES = new Set(["accounts.logOut", "profile.updatePassword"])

/** A body with an id in place of each that the example has. */
function withId(example: unknown, id: number): unknown {
  if (Array.isArray(example)) return example.map((item) => (typeof item === "number" ? id : withId(item, id)))
  if (example === null || typeof example !== "object") return example
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      /_id$/.test(name) && typeof value === "number" ? id : withId(value, id),
    ]),
  )
}

/** Everything that an operation can be asked about somebody else's things. */
function requestsOf({ method, path, example }: DocumentedOperation, ids: (number | string)[]) {
  const isAboutOne = path.includes("{") || JSON.stringify(example ?? {}) !== JSON.stringify(withId(example ?? {}, -1))
  return (isAboutOne ? ids : [1]).map((id) => ({
    method,
    path: path.replace(/\{\w+\}/, String(id)),
    json: method === "GET" ? undefined : withId(example ?? {}, typeof id === "number" ? id : 1),
  }))
}

async function attackWith(
  operations: DocumentedOperation[],
  ids: (number | string)[],
  headers: Record<string, string>,
  host: string,
  judge: (answer: Answer, operation: DocumentedOperation) => string | null,
): Promise<string[]> {
  const found: string[] = []
  for (const operation of operations) {
    for (const { method, path, json } of requestsOf(operation, ids)) {
      const answer = await call(method, path, { host, headers, ...(json !== undefined && { json }) })
      const fault = answer.status >= 500 ? String(answer.status) : judge(answer, operation)
      if (fault) found.push(`${method} ${path}: ${fault}`)
    }
  }
  return found
}

const operations = operationsOf("content").filter(({ id }) => !SUICIDES.has(id))

test("the things of one store are not there for anybody of another", async () => {
  const a = await makeFullStore(SECRET, PERSONAL)
  const b = await makeOpenStore()
  const customer = await makeUser(b.id)
  const callers = {
    staff: WAYS.Authorization(b.staff.token),
    customer: WAYS.Authorization(customer.token),
    server: WAYS["X-API-KEY"](await makeServerKey(b.id, "internal")),
    nobody: {},
  }
  withoutBudgets()
  const before = await everything()
  const ids = [...a.ids, a.reference, "post", "page", "cat", "tag"]
  const found: string[] = []
  for (const [name, headers] of Object.entries(callers)) {
    const judged = await attackWith(operations, ids, headers, b.host, ({ text }) =>
      text.includes(SECRET) || text.includes(PERSONAL) ? "shows it" : null,
    )
    found.push(...judged.map((line) => `${name}: ${line}`))
  }
  expect(found).toEqual([])
  const isOfA = (line: string) =>
    line.includes(`"site_id":"${a.id}"`) || line.includes(`"store_id":"${a.id}"`) || line.includes(`${a.id}/`)
  expect(differences(before, await everything()).filter(isOfA)).toEqual([])
  const file = new URL(a.file, "http://x").pathname
  expect((await call("GET", file, { host: b.host })).status).toBe(404)
  expect((await call("GET", file, { host: "localhost" })).status).toBe(404)
  expect((await call("GET", file, { host: a.host })).text).toBe(SECRET)
}, 120_000)

test("what is between one customer and the shop is not there for another", async () => {
  const a = await makeFullStore(SECRET, PERSONAL)
  const mallory = await makeUser(a.id)
  withoutBudgets()
  const before = await everything()
  const found = await attackWith(
    operations,
    [...a.ids, a.reference],
    WAYS.Authorization(mallory.token),
    a.host,
    ({ text }) => (text.includes(PERSONAL) && !text.includes(SECRET) ? "shows it" : null),
  )
  expect(found).toEqual([])
  const after = await everything()
  const isHers = (line: string) => line.includes(`"user_id":${mallory.id}`) || line.includes(mallory.email)
  // Counts and a product's stock move with what she may do herself.
  const taken = differences(before, after).filter(
    (line) =>
      line.startsWith("-") &&
      !/^- (central|sites)\.(counters|site_counters|products|content_versions|site_versions)\b/.test(line),
  )
  expect(taken.filter((line) => !isHers(line))).toEqual([])
}, 120_000)

test("one store's bank transfers and receipts are not there for the owner of another", async () => {
  const a = await makeFullStore(SECRET, PERSONAL)
  const b = await makeOpenStore()
  const headers = WAYS.Cookie(b.staff.token)
  withoutBudgets()
  const before = await everything()
  const withdrawn = await post(`/billing/orders/${a.reference}/withdraw`, {}, { host: b.host, headers })
  expect(withdrawn.status).not.toBe(500)
  expect(withdrawn.text).not.toContain(a.reference)
  expect((await call("GET", "/billing/receipts/INV-2026-000001", { host: b.host, headers })).status).toBe(404)
  expect(differences(before, await everything())).toEqual([])
})
