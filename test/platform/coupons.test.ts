// Coupons by API.
import { beforeEach, expect, test } from "vitest"
import { platform } from "../support/app"
import { runOperatorCommand } from "../support/blog-factories"
import { makeKey } from "../support/factories"
import { rows } from "../support/rows"

let send: (method: string, path: string, json?: unknown) => ReturnType<typeof platform>
beforeEach(async () => {
  const token = await makeKey()
  send = (method, path, json) => platform(method, path, { token, json })
})

test("creates, reads, changes and lists coupons by code", async () => {
  const created = await send("POST", "/coupons", { code: " spring30 ", trial_days: 30 })
  expect(created.status).toBe(201)
  expect(created.body.data).toEqual({
    code: "SPRING30",
    description: "",
    trial_days: 30,
    percent_off: null,
    amount_off: null,
    months: null,
    plans: null,
    max_redemptions: null,
    redemptions: 0,
    starts_at: null,
    expires_at: null,
    is_active: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  const changes = { max_redemptions: 5, expires_at: "2999-01-01T00:00:00+00:00", is_active: false }
  const changed = await send("PATCH", "/coupons/Spring30", changes)
  expect(changed.body.data).toMatchObject({ ...changes, trial_days: 30 })
  expect((await send("GET", "/coupons/spring30")).body.data).toEqual(changed.body.data)
  await send("POST", "/coupons", { code: "AUTUMN", trial_days: 10 })
  const { body } = await send("GET", "/coupons?per_page=1&page=2")
  expect(body.data.map(({ code }: { code: string }) => code)).toEqual(["SPRING30"])
  expect(body.meta).toEqual({ page: 2, per_page: 1, total: 2, last_page: 2 })
  expect(await rows("select type from audit_entries where subject_type = 'coupon'")).toHaveLength(3)
})

test("does not replace a coupon whose code is taken, also when two requests create it at once", async () => {
  const results = await Promise.all([1, 2].map((days) => send("POST", "/coupons", { code: "TWICE", trial_days: days })))
  expect(results.map(({ status }) => status).sort()).toEqual([201, 422])
  const again = await send("POST", "/coupons", { code: "twice", trial_days: 0 })
  expect(Object.keys(again.body.errors)).toEqual(["code", "trial_days"])
  expect(again.body.errors.code).toEqual(["The code has already been taken."])
})

test("takes a percentage or an amount off, and refuses a coupon that gives both or nothing", async () => {
  const errors = async (method: string, path: string, json: object) => {
    const { status, body } = await send(method, path, json)
    return status < 300 ? status : Object.keys(body.errors)
  }
  expect(await errors("POST", "/coupons", { code: "HALF", percent_off: 50, months: 3 })).toBe(201)
  expect((await send("GET", "/coupons/HALF")).body.data).toMatchObject({ trial_days: null, percent_off: 50, months: 3 })
  const refused: [object, string[]][] = [
    [{}, ["trial_days"]],
    [{ trial_days: null }, ["trial_days"]],
    [{ percent_off: 10, amount_off: 500 }, ["amount_off"]],
    [{ trial_days: 5, months: 3 }, ["months"]],
    [{ percent_off: 101 }, ["percent_off"]],
    [{ percent_off: 0 }, ["percent_off"]],
    [{ amount_off: 0.5 }, ["amount_off"]],
    [{ amount_off: 500, months: 0 }, ["months"]],
  ]
  for (const [terms, fields] of refused)
    expect(await errors("POST", "/coupons", { code: "BAD", ...terms }), JSON.stringify(terms)).toEqual(fields)
  expect(await errors("PATCH", "/coupons/HALF", { amount_off: 500 })).toEqual(["amount_off"])
  expect(await errors("PATCH", "/coupons/HALF", { percent_off: null })).toEqual(["months"])
  expect(await errors("PATCH", "/coupons/HALF", { percent_off: null, amount_off: 500 })).toBe(200)
})

test("keeps the redemptions of a coupon that changes, and 404s an unknown code", async () => {
  await runOperatorCommand("coupons:save", { code: "USED", trial_days: "7" })
  await send("PATCH", "/coupons/USED", { description: "Changed" })
  expect((await send("GET", "/coupons/USED")).body.data).toMatchObject({ redemptions: 0, trial_days: 7 })
  for (const code of ["NOPE", "%00", "%E0%A4%A"])
    expect((await send("PATCH", `/coupons/${code}`, { trial_days: 1 })).status).toBe(404)
})
