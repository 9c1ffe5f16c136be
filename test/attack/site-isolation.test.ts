// Runs every route of a site next to another site of the same database with the same slugs, email addresses, file
// paths, device tokens and secrets of tokens. No response shows the other site, and none of its rows change.
import { expect, test } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
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

/** Creates two stores; `compare` makes their rows equal, sends a request to the first and returns what it did wrong. */
async function makeNeighbours() {
  const site = await makeSite()
  const neighbour = await makeReadyStore()
  disableRateLimits()
  const isOfNeighbour = (line: string) =>
    line.includes(`"site_id":"${neighbour}"`) ||
    line.includes(`"store_id":"${neighbour}"`) ||
    line.includes(` ${neighbour}/`)
  const compare = async (name: string, send: () => Promise<TestResponse>): Promise<string[]> => {
    const before = await readState()
    const { status, text } = await send()
    const changes = diffStates(before, await readState()).filter(isOfNeighbour)
    return [
      ...(status >= 500 ? [`${name}: ${status}`] : []),
      ...(text.includes(MARKER) ? [`${name}: shows the neighbour`] : []),
      ...changes.map((line) => `${name}: ${line}`),
    ]
  }
  return { site, neighbour, compare, duplicate: () => duplicateSite(site.store, neighbour, MARKER) }
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
  const { site, compare, duplicate } = await makeNeighbours()
  const problems: string[] = []
  for (const [name, prepare] of Object.entries(WRITES)) {
    const send = await prepare(site)
    await duplicate()
    problems.push(
      ...(await compare(name, async () => {
        const response = await send()
        if (response.status >= 400) problems.push(`${name}: ${response.status}`)
        return response
      })),
    )
  }
  expect(problems).toEqual([])
}, 240_000)

test("no read, page or file of a site shows the same rows of another site", async () => {
  const { site, compare, duplicate } = await makeNeighbours()
  const reads = await prepareContentReads(site)
  const staff = await site.createUser({ isStaff: true })
  await duplicate()
  const covered = [...Object.keys(reads), ...Object.keys(WRITES), ...NON_WRITING_ROUTES]
  const routes = routeTable(await loadContentRoutes()).map(({ id }) => id)
  expect(covered.sort()).toEqual(routes.sort())
  const problems: string[] = []
  for (const [name, send] of Object.entries(reads)) problems.push(...(await compare(name, send)))
  for (const id of NON_WRITING_ROUTES) problems.push(...(await compare(id, () => sendExample(site, id, staff.token))))
  const pages = new Set(["/"])
  for (const path of pages) {
    const visit = async () => {
      const response = await call("GET", path, { host: hostOfStore(site.store) })
      for (const [, link = ""] of response.text.matchAll(/(?:href|src)="(\/[^"#]*)"/g)) pages.add(link)
      return response
    }
    problems.push(...(await compare(path, visit)))
  }
  const files = await siteRows("select path from media_files where site_id = ?", site.store)
  for (const { path } of files)
    problems.push(
      ...(await compare(String(path), () => call("GET", `/media/${path}`, { host: hostOfStore(site.store) }))),
    )
  expect(problems).toEqual([])
  expect([files.length > 0, pages.size > 10]).toEqual([true, true])
}, 240_000)

test("a token of another site with the same secret is not valid at any route", async () => {
  const { site, neighbour, compare, duplicate } = await makeNeighbours()
  const staff = await site.createUser({ isStaff: true })
  await duplicate()
  const [id, secret] = staff.token.split("|")
  const token = `${Number(id) + ID_OFFSET}|${secret}`
  expect((await call("GET", "/api/v1/me", { host: hostOfStore(neighbour), token })).status).toBe(200)
  const problems: string[] = []
  for (const operation of listOperations("content").filter(({ schemes }) => schemes.includes("user"))) {
    problems.push(
      ...(await compare(operation.id, async () => {
        const response = await sendExample(site, operation.id, token)
        if (response.status !== 401) problems.push(`${operation.id}: ${response.status}`)
        return response
      })),
    )
  }
  expect(problems).toEqual([])
}, 120_000)
