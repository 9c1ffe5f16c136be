// A database that fails under a write of the content API, the apps' included, at each of its trips, before it or after: the change and
// its entry in the trail are all there, or nothing is.
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { contentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { holdBeside } from "../support/concurrent-writes"
import { holdWhole } from "../support/consistency"
import { ASKS, makeSite, type Site, WRITES } from "../support/content-writes"
import { keysOf } from "../support/media-factories"
import { siteRows } from "../support/rows"

/** What users do with what is theirs leaves no entry; what a key or the staff of a store do through billing and media does. */
const LEAVES_TRAIL = /^(files|folders|billing)\./

/** An upload notes its bytes before a row speaks for them, and a sweep finds what it left. */
const NOTED_ON_THE_WAY: Record<string, string[]> = {
  "files.upload": ["media_orphans"],
  "profile.updateAvatar": ["media_orphans"],
}

let site: Site
beforeEach(async () => {
  site = await makeSite()
})
afterEach(() => void vi.restoreAllMocks())

test.each(Object.entries(WRITES))("%s is made whole or not at all", async (name, make) => {
  const made = await holdWhole(() => make(site), { ignored: NOTED_ON_THE_WAY[name] })
  expect(Object.keys(made).filter((table) => table !== "trail").length).toBeGreaterThan(0)
  expect("trail" in made, name).toEqual(LEAVES_TRAIL.test(name))
  expect(await strayKeys()).toEqual([])
})

/** Bytes that nothing speaks for: neither a row of a file nor a note for the sweep. */
async function strayKeys(): Promise<string[]> {
  const known = await siteRows(
    "select path from media_files union select path from media_orphans union select avatar from users where avatar is not null",
  )
  const paths = new Set(known.map(({ path }) => `${site.store}/${path}`))
  return (await keysOf(site.store)).filter((key) => !paths.has(key))
}

test("every write is made whole or not at all, whatever fails beside the databases", async () => {
  const writes = Object.entries(WRITES).map(([name, make]) => [name, () => make(site)])
  const held = await holdBeside(Object.fromEntries(writes), {
    ignored: (name) => NOTED_ON_THE_WAY[name] ?? [],
  })
  expect(Object.values(held).flat().length).toBeGreaterThan(8)
  expect(await strayKeys()).toEqual([])
}, 240_000)

test("no write route is left out", async () => {
  const names = routeTable(await contentRoutes())
    .filter(({ method, id }) => method !== "GET" || id === "accounts.logOut")
    .map(({ id }) => id)
  expect([...Object.keys(WRITES), ...ASKS].sort()).toEqual(names.sort())
})
