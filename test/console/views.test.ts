// Saved views of lists: own and shared ones, who may save and delete them, and what they cost.
import { expect, test } from "vitest"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { type Browser, signIn } from "./support"

const VIEWS = "/console/account/views"

const save = (browser: Browser, name: string, query: string, more: Record<string, string> = {}) =>
  browser.post(VIEWS, { list: "/console/stores", name, query, ...more })

test("saves a view of a list without its page, for its operator or for all, and marks the one that is shown", async () => {
  await makeReadyStore()
  const [ada, ben] = [await signIn({ role: "support" }), await signIn({ role: "finance" })]
  const saved = await save(ada, "Open ones", "status=ready&page=3&done=saved&plan=&columns=Owner")
  expect([saved.status, saved.headers.get("Location")]).toEqual([
    ...[303, "/console/stores?columns=Owner&status=ready&done=view_saved"],
  ])
  expect((await save(ada, "By name", "sort=name", { is_shared: "true" })).status).toBe(303)
  const shown = (await ada.get("/console/stores?status=ready&columns=Owner&page=1")).text
  expect(shown).toMatch(/aria-current="page">Open ones/)
  expect(shown).toContain("Delete view")
  const others = (await ben.get("/console/stores?sort=name")).text
  expect([others.includes("Open ones"), others.includes("Delete view")]).toEqual([false, false])
  expect(others).toMatch(/href="\/console\/stores\?sort=name" aria-current="page">By name/)
  expect((await ben.get("/console/orders")).text).not.toContain("By name")
  expect((await ada.get(VIEWS)).text).toContain('href="/console/stores?sort=name"')
  expect(await rows("select type, actor_type from audit_entries where type like 'view_%'")).toEqual(
    Array(2).fill({ type: "view_created", actor_type: "admin" }),
  )
})

test("refuses a name that is taken, a list of another host, and a viewer who shares", async () => {
  const [ada, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const responses = await Promise.all([save(ada, "Ready", "status=ready"), save(ada, "Ready", "status=failed")])
  expect(responses.map(({ status }) => status).toSorted()).toEqual([303, 422])
  const taken = await save(ada, "Ready", "status=failed")
  expect([taken.status, taken.text.includes("already been taken")]).toEqual([422, true])
  for (const list of ["https://evil.example", "//evil.example", "/console/../admin", "/console/stores?x=1"])
    expect((await save(ada, "Evil", "", { list })).status, list).toBe(422)
  expect((await save(viewer, "Mine", "status=ready")).status).toBe(303)
  expect((await save(viewer, "Ours", "status=ready", { is_shared: "true" })).status).toBe(422)
  expect(await rows("select name, is_shared from operator_views order by id")).toEqual([
    { name: "Ready", is_shared: 0 },
    { name: "Mine", is_shared: 0 },
  ])
})

test("deletes own views, lets only admins delete those that others share, and keeps these when an operator goes", async () => {
  const [admin, ada] = [await signIn(), await signIn({ role: "support", email: "ada@example.com" })]
  await save(ada, "Own", "status=ready")
  await save(ada, "Shared", "status=failed", { is_shared: "true" })
  const [own, shared] = (await rows("select id from operator_views order by id")).map(({ id }) => Number(id))
  const ben = await signIn({ role: "support" })
  expect((await ben.post(`${VIEWS}/${shared}/delete`)).status).toBe(404)
  expect((await admin.post(`${VIEWS}/${own}/delete`)).status).toBe(404)
  const [operator] = await rows("select id from operators where email = 'ada@example.com'")
  await admin.confirm(`/console/operators/${operator?.id}/delete`, {}, { confirm: "ada@example.com" })
  expect(await rows("select name from operator_views")).toEqual([{ name: "Shared" }])
  expect((await admin.post(`${VIEWS}/${shared}/delete`)).headers.get("Location")).toBe(
    "/console/stores?done=view_deleted",
  )
  expect(await rows("select name from operator_views")).toEqual([])
  await save(admin, "Mine", "status=ready")
  const [mine] = await rows("select id from operator_views")
  const stayed = await admin.post(`${VIEWS}/${mine?.id}/delete`, { from: "account" })
  expect(stayed.headers.get("Location")).toBe(`${VIEWS}?done=view_deleted`)
})

test("reads the views with the session, in one round trip", async () => {
  const ada = await signIn()
  await ada.get("/console/orders")
  const before = await costsOf(() => ada.get("/console/orders"))
  for (const name of ["A", "B"]) await save(ada, name, "status=paid", { list: "/console/orders" })
  const after = await costsOf(() => ada.get("/console/orders"))
  expect(after.roundTrips).toBe(before.roundTrips)
  expect(after.rowsRead - before.rowsRead).toBeLessThan(12)
})

test("starts a search by a typed letter unless the operator turned that off", async () => {
  const ada = await signIn()
  const profile = { name: "Ada", time_zone: "UTC", theme: "system" }
  expect((await ada.get("/console")).text).toContain("data-single-keys")
  await ada.post("/console/account", { ...profile, single_keys: "false" })
  expect((await ada.get("/console")).text).not.toContain("data-single-keys")
})
