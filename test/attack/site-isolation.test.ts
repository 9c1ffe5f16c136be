// Runs every route of a site next to another site of the same database with the same slugs, email addresses, file
// paths, device tokens and secrets of tokens. No response shows the other site, and none of its rows change.
import { expect, test } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { signInToAdmin } from "../admin/support"
import { parsePostForms } from "../console/crawler"
import { call, type TestResponse } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeSite, NON_WRITING_ROUTES, type Site, WRITES } from "../support/content-writes"
import { disableRateLimits } from "../support/credentials"
import { duplicateSite, ID_OFFSET } from "../support/duplicate-site"
import { makeReadyStore } from "../support/factories"
import { listOperations } from "../support/operations"
import { prepareContentReads } from "../support/read-requests"
import { siteRows } from "../support/rows"
import { diffStates, readState } from "../support/state"

const MARKER = "text-of-the-neighbour"

/** Describes an internal error, or a response that shows the neighbour. */
const findLeaks = (name: string, { status, text }: TestResponse): string[] => [
  ...(status >= 500 ? [`${name}: ${status}`] : []),
  ...(text.includes(MARKER) ? [`${name}: shows the neighbour`] : []),
]

/** Creates two stores; `duplicate` makes their rows equal, and `findChanges` lists changes of the second one's rows. */
async function makeNeighbours() {
  const site = await makeSite()
  const neighbour = await makeReadyStore()
  disableRateLimits()
  const isOfNeighbour = (line: string) =>
    line.includes(`"site_id":"${neighbour}"`) ||
    line.includes(`"store_id":"${neighbour}"`) ||
    line.includes(` ${neighbour}/`)
  const findChanges = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = await readState()
    await work()
    return diffStates(before, await readState()).filter(isOfNeighbour)
  }
  return { site, neighbour, findChanges, duplicate: () => duplicateSite(site.store, neighbour, MARKER) }
}

/** Sends the operation's example as a user. */
const sendExample = (site: Site, id: string, token: string) => {
  const operation = listOperations("content").find((one) => one.id === id)
  if (!operation) throw new Error(`${id} is not documented`)
  const { method, path, example } = operation
  return call(method, path.replace(/\{\w+\}/, "1"), {
    host: hostOfStore(site.store),
    token,
    ...(method !== "GET" && example && { json: example }),
  })
}

test("every write of a site leaves the same rows of another site unchanged", async () => {
  const { site, findChanges, duplicate } = await makeNeighbours()
  const problems: string[] = []
  for (const [name, prepare] of Object.entries(WRITES)) {
    const send = await prepare(site)
    await duplicate()
    const changes = await findChanges(async () => {
      const response = await send()
      if (response.status >= 400) problems.push(`${name}: ${response.status}`)
      problems.push(...findLeaks(name, response))
    })
    problems.push(...changes.map((line) => `${name}: ${line}`))
  }
  expect(problems).toEqual([])
}, 240_000)

test("no read, page or file of a site shows the same rows of another site", async () => {
  const { site, findChanges, duplicate } = await makeNeighbours()
  const reads = await prepareContentReads(site)
  const staff = await site.createUser({ isStaff: true })
  await duplicate()
  const covered = [...Object.keys(reads), ...Object.keys(WRITES), ...NON_WRITING_ROUTES]
  const routes = routeTable(await loadContentRoutes()).map(({ id }) => id)
  expect(covered.sort()).toEqual(routes.sort())
  const problems: string[] = []
  const visit = async (path: string) => {
    const response = await call("GET", path, { host: hostOfStore(site.store) })
    problems.push(...findLeaks(path, response))
    return response.text
  }
  const pages = new Set(["/"])
  const files = await siteRows("select path from media_files where site_id = ?", site.store)
  const changes = await findChanges(async () => {
    for (const [name, send] of Object.entries(reads)) problems.push(...findLeaks(name, await send()))
    for (const id of NON_WRITING_ROUTES) problems.push(...findLeaks(id, await sendExample(site, id, staff.token)))
    for (const path of pages) {
      for (const [, link = ""] of (await visit(path)).matchAll(/(?:href|src)="(\/[^"#]*)"/g)) pages.add(link)
    }
    for (const { path } of files) await visit(`/media/${path}`)
  })
  expect(changes).toEqual([])
  expect(problems).toEqual([])
  expect([files.length > 0, pages.size > 10]).toEqual([true, true])
}, 240_000)

/** Forms that succeed for an id that does not exist, because the row may be gone already. */
const IDEMPOTENT_FORMS = /^\/admin\/account\/sessions\/\d+\/delete$/

/** Replaces the row ids of a path by those of the other site's copies. */
const toForeignPath = (path: string): string =>
  path.replaceAll(/\/(\d+)(?=\/|$)/g, (_, id: string) => `/${Number(id) + ID_OFFSET}`)

test("no admin page shows rows of another site, and no form with their ids changes them", async () => {
  const { site, findChanges, duplicate } = await makeNeighbours()
  await prepareContentReads(site)
  const owner = await signInToAdmin(site.store)
  await duplicate()
  const problems: string[] = []
  const pages = new Set(["/admin"])
  const forms = new Map<string, Record<string, string>>()
  const visit = async (path: string) => {
    const response = await owner.get(path)
    problems.push(...findLeaks(path, response))
    return response
  }
  const changes = await findChanges(async () => {
    for (const path of pages) {
      const { text } = await visit(path)
      for (const [, link = ""] of text.matchAll(/href="(\/admin[^"#?]*)/g)) pages.add(link)
      for (const { action, fields } of parsePostForms(text)) {
        const submitted = fields.filter(({ isSubmitted }) => isSubmitted)
        forms.set(action, Object.fromEntries(submitted.map(({ name, value }) => [name, value])))
      }
    }
    for (const path of pages) {
      const foreign = toForeignPath(path)
      if (foreign !== path && (await visit(foreign)).status !== 404) problems.push(`${foreign} is not refused`)
    }
    for (const [action, fields] of forms) {
      const foreign = toForeignPath(action)
      if (foreign === action) continue
      const response = await owner.post(foreign, { ...fields, name: "Taken over", confirm: "1" })
      problems.push(...findLeaks(foreign, response))
      if (response.status === 303 && !IDEMPOTENT_FORMS.test(foreign)) problems.push(`${foreign} is accepted`)
    }
  })
  expect(changes).toEqual([])
  expect(problems).toEqual([])
  const foreignForms = [...forms.keys()].filter((action) => toForeignPath(action) !== action)
  expect([pages.size > 40, foreignForms.length > 10]).toEqual([true, true])
}, 240_000)

test("a token of another site with the same secret is not valid at any route", async () => {
  const { site, neighbour, findChanges, duplicate } = await makeNeighbours()
  const staff = await site.createUser({ isStaff: true })
  await duplicate()
  const [id, secret] = staff.token.split("|")
  const token = `${Number(id) + ID_OFFSET}|${secret}`
  expect((await call("GET", "/api/v1/me", { host: hostOfStore(neighbour), token })).status).toBe(200)
  const problems: string[] = []
  const changes = await findChanges(async () => {
    for (const { id } of listOperations("content").filter(({ schemes }) => schemes.includes("user"))) {
      const response = await sendExample(site, id, token)
      if (response.status !== 401) problems.push(`${id}: ${response.status}`)
      problems.push(...findLeaks(id, response))
    }
  })
  expect(changes).toEqual([])
  expect(problems).toEqual([])
}, 120_000)
