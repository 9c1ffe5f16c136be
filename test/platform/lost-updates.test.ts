// Two requests that change the same row at once: both changes are stored, or one is refused.
import { expect, test } from "vitest"
import { platform, sendOperatorCommand } from "../support/app"
import { makeKey } from "../support/factories"
import { rows } from "../support/rows"

const PASSWORD = "correct-horse-battery"

test("disabling an operator is not undone by a concurrent change of the name", async () => {
  await sendOperatorCommand("operators:create", { email: "one@example.com", name: "One", password: PASSWORD })
  const { body } = await sendOperatorCommand("operators:create", {
    email: "two@example.com",
    name: "Two",
    password: PASSWORD,
  })
  const { id } = body.data
  const changes = [{ disabled: true }, { name: "Renamed" }, { role: "viewer" }]
  const responses = await Promise.all(
    changes.map((change) => sendOperatorCommand("operators:update", { id, ...change })),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(
    await rows("select name, role, disabled_at is not null as is_disabled from operators where id = ?", id),
  ).toEqual([{ name: "Renamed", role: "viewer", is_disabled: 1 }])
})

test("of two admins who are removed or demoted at once, one remains", async () => {
  const ids = []
  for (const email of ["one@example.com", "two@example.com"]) {
    const { body } = await sendOperatorCommand("operators:create", { email, name: "Admin", password: PASSWORD })
    ids.push(body.data.id)
  }
  const [one, two] = ids
  const responses = await Promise.all([
    sendOperatorCommand("operators:update", { id: one, role: "viewer" }),
    sendOperatorCommand("operators:remove", { id: two }),
  ])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await rows("select count(*) as n from operators where role = 'admin'")).toEqual([{ n: 1 }])
})

test("ending an incident is not undone by a concurrent change of its title", async () => {
  const { body } = await sendOperatorCommand("incidents:create", { title: "Late", body: "Deliveries are late." })
  const { id } = body.data
  await Promise.all(
    [{ ended: true }, { title: "Late webhooks" }].map((change) =>
      sendOperatorCommand("incidents:update", { id, ...change }),
    ),
  )
  expect(await rows("select title, ended_at is not null as has_ended from incidents")).toEqual([
    { title: "Late webhooks", has_ended: 1 },
  ])
})

test("two changes of a coupon cannot give it two kinds of discount", async () => {
  const token = await makeKey()
  await platform("POST", "/coupons", { token, json: { code: "SPRING", trial_days: 10 } })
  const discounts = [{ percent_off: 10 }, { amount_off: 500 }]
  const responses = await Promise.all(discounts.map((json) => platform("PATCH", "/coupons/SPRING", { token, json })))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
  expect(await rows("select percent_off is null or amount_off is null as has_one from coupons")).toEqual([
    { has_one: 1 },
  ])
})
