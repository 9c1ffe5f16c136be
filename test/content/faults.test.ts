// Fails each database call of every content API write, before and after it takes effect, and asserts that either the
// whole change and its audit entry exist, or none of it.
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { assertAtomicWrite } from "../support/atomic-writes"
import { NON_WRITING_ROUTES, reuseSite, type Site, WRITES } from "../support/content-writes"
import { assertAtomicUnderCallFaults } from "../support/external-call-faults"
import { listObjectKeys } from "../support/media-factories"
import { siteRows } from "../support/rows"

/** Writes that are audited: those of staff and server tokens. Customers' are not. */
const AUDITED =
  /^(storeWebhooks|files|folders|billing|staff|shop|posts|pages|categories|tags|products|galleries)\.|^(orders\.move|contact\.(update|delete|reply)|reviews\.(hide|show))$/

/**
 * Tables that a failed write may leave rows in: an upload records its bytes as an orphan first, and the sweep cleans
 * up.
 */
const LEFTOVER_TABLES: Record<string, string[]> = {
  // The attempt of the new delivery runs after the response.
  "storeWebhooks.test": ["webhook_hours"],
  "storeWebhooks.retryDelivery": ["webhook_hours"],
  "files.upload": ["media_orphans"],
  "profile.updateAvatar": ["media_orphans"],
}

const makeSiteCopy = reuseSite()

let site: Site
beforeEach(async () => {
  site = await makeSiteCopy()
})
afterEach(() => void vi.restoreAllMocks())

test.each(Object.entries(WRITES))(
  "applies %s completely or not at all when a database call fails",
  async (name, prepare) => {
    const changes = await assertAtomicWrite(() => prepare(site), { ignored: LEFTOVER_TABLES[name] })
    expect(Object.keys(changes).filter((table) => table !== "auditLog").length).toBeGreaterThan(0)
    const isAudited = "auditLog" in changes
    const advice = isAudited
      ? `${name} writes to the audit log: add it to AUDITED if that is intended`
      : `${name} writes nothing to the audit log: remove it from AUDITED if that is intended`
    expect(isAudited, advice).toBe(AUDITED.test(name))
    expect(await findUnreferencedKeys()).toEqual([])
  },
)

/** Finds objects in the bucket that neither a file, an avatar nor an orphan row references. */
async function findUnreferencedKeys(): Promise<string[]> {
  const referenced = await siteRows(
    "select path from media_files union select path from media_orphans union select avatar from users where avatar is not null",
  )
  const paths = new Set(referenced.map(({ path }) => `${site.store}/${path}`))
  return (await listObjectKeys(site.store)).filter((key) => !paths.has(key))
}

test("applies every write completely or not at all when another service fails", async () => {
  const writes = Object.entries(WRITES).map(([name, prepare]) => [name, () => prepare(site)])
  const failures = await assertAtomicUnderCallFaults(Object.fromEntries(writes), {
    ignoredTables: (name) => LEFTOVER_TABLES[name] ?? [],
    isEssential: (name, { target }) => /^storeWebhooks\.(test|retryDelivery)$/.test(name) && target === "fetch",
  })
  expect(Object.values(failures).flat().length).toBeGreaterThan(7)
  expect(await findUnreferencedKeys()).toEqual([])
}, 240_000)

test("covers every write route of the content API", async () => {
  const names = routeTable(await loadContentRoutes())
    .filter(({ method, id }) => method !== "GET" || id === "accounts.logOut")
    .map(({ id }) => id)
  expect([...Object.keys(WRITES), ...NON_WRITING_ROUTES].sort()).toEqual(names.sort())
})
