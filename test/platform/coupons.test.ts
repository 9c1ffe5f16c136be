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

test("keeps the redemptions of a coupon that changes, and 404s an unknown code", async () => {
  await runOperatorCommand("coupons:save", { code: "USED", trial_days: "7" })
  await send("PATCH", "/coupons/USED", { description: "Changed" })
  expect((await send("GET", "/coupons/USED")).body.data).toMatchObject({ redemptions: 0, trial_days: 7 })
  for (const code of ["NOPE", "%00", "%E0%A4%A"])
    expect((await send("PATCH", `/coupons/${code}`, { trial_days: 1 })).status).toBe(404)
})
