// Listing, reading and saving plans.
import { beforeEach, describe, expect, test } from "vitest"
import { SavePlanInput } from "../../src/platform/plans/schemas"
import { platform } from "../support/app"
import { runOperatorCommand } from "../support/blog-factories"
import { costsOf } from "../support/costs"
import { makeKey, makePlan } from "../support/factories"
import { rows } from "../support/rows"

let token: string
beforeEach(async () => {
  token = await makeKey({ scopes: ["read"] })
})

const list = (query = "") => platform("GET", `/plans${query}`, { token })
const slugs = (response: Awaited<ReturnType<typeof list>>) =>
  response.body.data.map((plan: { slug: string }) => plan.slug)

describe("POST and PATCH plans", () => {
  const write = async (method: string, path: string, json: unknown) =>
    platform(method, path, { token: await makeKey(), json })
  const plan = { slug: "basic", name: "Basic", price_cents: 900, currency: "EUR", interval: "month" }

  test("creates a plan with defaults for what is left out", async () => {
    const { status, body } = await write("POST", "/plans", {
      ...plan,
      limits: { products: 10 },
      stripe_price: "price_1",
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      ...plan,
      description: "",
      trial_days: 0,
      limits: { products: 10, orders: 0, storage_mb: 0, staff_users: 0 },
      features: { custom_domain: false, api_access: false, remove_branding: false },
      apps: null,
      is_active: true,
    })
    expect(JSON.stringify(body)).not.toContain("price_1")
    expect(await rows("select stripe_price from plans")).toEqual([{ stripe_price: "price_1" }])
  })

  test("refuses a slug that is taken, together with other errors, and for one of two simultaneous requests", async () => {
    const results = await Promise.all([write("POST", "/plans", plan), write("POST", "/plans", plan)])
    expect(results.map(({ status }) => status).sort()).toEqual([201, 422])
    const again = await write("POST", "/plans", { ...plan, price_cents: -1 })
    expect(Object.keys(again.body.errors)).toEqual(["slug", "price_cents"])
  })

  test("changes only what the body names, inside limits and features too", async () => {
    await write("POST", "/plans", { ...plan, limits: { products: 10, orders: 5 }, apps: ["reviews"] })
    const { body } = await write("PATCH", "/plans/basic", { limits: { orders: 9 }, features: { api_access: true } })
    expect(body.data).toMatchObject({
      ...plan,
      limits: { products: 10, orders: 9 },
      features: { custom_domain: false, api_access: true },
      apps: ["reviews"],
    })
    const entries = "select id from audit_entries where subject_type = 'plan'"
    expect(await rows(entries)).toHaveLength(2)
    expect((await write("PATCH", "/plans/basic", { name: "Basic", apps: ["reviews"] })).status).toBe(200)
    expect(await rows(entries)).toHaveLength(2)
    expect((await write("PATCH", "/plans/none", { name: "A" })).status).toBe(404)
  })
})

describe("GET plans", () => {
  test("lists active plans in their sort order, and inactive ones with include_inactive=1", async () => {
    await makePlan({ slug: "pro", sort_order: 2 })
    await makePlan({ slug: "old", sort_order: 1, is_active: false })
    await makePlan({ slug: "free", sort_order: 0, price_cents: 0 })
    const response = await list()
    expect(response.status).toBe(200)
    expect(slugs(response)).toEqual(["free", "pro"])
    expect(response.body.meta).toEqual({ total: 2 })
    for (const query of ["?include_inactive=1", "?include_inactive=true"]) {
      expect(slugs(await list(query))).toEqual(["free", "old", "pro"])
    }
    expect(slugs(await list("?include_inactive=0"))).toEqual(["free", "pro"])
    for (const query of ["?include_inactive=yes", "?include_inactive=", "?include_inactive=1&include_inactive=1"]) {
      expect((await list(query)).body.errors).toHaveProperty("include_inactive")
    }
  })

  test("returns the documented fields of a plan, without the payment provider's price", async () => {
    const { id } = await makePlan({
      slug: "pro",
      stripe_price: "price_secret",
      apps: ["ecommerce"],
      themes: ["atelier"],
    })
    const response = await platform("GET", "/plans/pro", { token })
    expect(response.status).toBe(200)
    expect(response.body.data).toEqual({
      id,
      slug: "pro",
      name: "Plan",
      description: "A plan",
      price_cents: 1900,
      currency: "EUR",
      interval: "month",
      trial_days: 0,
      limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0 },
      features: { custom_domain: true, api_access: true, remove_branding: true },
      allows_custom_domain: true,
      apps: ["ecommerce"],
      themes: ["atelier"],
      is_active: true,
      sort_order: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect((await list()).body.data).toEqual([response.body.data])
    expect(response.text + (await list()).text).not.toMatch(/stripe|price_secret/)
  })

  test("returns an inactive plan by its slug, and 404 for an unknown or malformed slug", async () => {
    await makePlan({ slug: "old", is_active: false })
    expect((await platform("GET", "/plans/old", { token })).body.data.is_active).toBe(false)
    for (const slug of ["nope", "OLD", "%00", "..%2Fold", "%27", "%E0%A4%A"]) {
      const response = await platform("GET", `/plans/${slug}`, { token })
      expect([response.status, response.body.error?.code], slug).toEqual([404, "not_found"])
    }
  })

  test("lists plans in one round trip after authentication", async () => {
    await list()
    expect(await costsOf(() => list())).toMatchObject({ roundTrips: 2, objectCalls: 2 })
  })
})

describe("saving", () => {
  const plan = {
    slug: "pro",
    name: "Pro",
    description: "",
    price_cents: 100,
    currency: "EUR",
    interval: "month",
    trial_days: 0,
    limits: { products: 1, orders: 1, storage_mb: 1, staff_users: 1 },
    features: { custom_domain: false, api_access: false, remove_branding: false },
  }

  test("replaces the plan with the same slug without changing its id", async () => {
    const before = await makePlan(plan)
    const after = await makePlan({ ...plan, name: "Pro 2", price_cents: 200 })
    expect([after.id, after.name, after.priceCents]).toEqual([before.id, "Pro 2", 200])
    expect(slugs(await list())).toEqual(["pro"])
  })

  test("saves a plan from the command line, where every value is a string", async () => {
    const options = {
      ...plan,
      price_cents: "1900",
      trial_days: "14",
      limits: JSON.stringify(plan.limits),
      features: JSON.stringify(plan.features),
      apps: "ecommerce, contact",
      themes: "all",
      is_active: "false",
      sort_order: "3",
    }
    const saved = await runOperatorCommand<Record<string, unknown>>("plans:save", options)
    const { slug, limits, features } = plan
    expect(saved).toMatchObject({
      slug,
      limits,
      features,
      price_cents: 1900,
      trial_days: 14,
      is_active: false,
      sort_order: 3,
    })
    expect(await rows("select apps, themes from plans")).toEqual([{ apps: '["ecommerce","contact"]', themes: null }])
    expect(await runOperatorCommand("plans:save", plan)).toMatchObject({
      price_cents: 100,
      is_active: true,
      sort_order: 0,
    })
  })

  test.each([
    { slug: "Not A Slug" },
    { name: "" },
    { name: "a\0b" },
    { price_cents: -1 },
    { price_cents: 1.5 },
    { currency: "euro" },
    { interval: "week" },
    { trial_days: 366 },
    { limits: { ...plan.limits, products: -1 } },
    { limits: {} },
    { features: {} },
  ])("refuses to save a plan with %j", (change) => {
    expect(SavePlanInput.safeParse({ ...plan, ...change }).success).toBe(false)
  })
})
