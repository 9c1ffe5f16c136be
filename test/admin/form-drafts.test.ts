// Forms of expired sessions: every route of a form leads to a page, and changes nothing.
import { expect, test } from "vitest"
import { admin } from "../../src/admin/app"
import { saveDraft } from "../../src/core/auth/form-drafts"
import { run, type TestResponse } from "../support/app"
import { content } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { rows } from "../support/rows"
import { makeShop } from "./shop"
import { type AdminBrowser, type Fields, signInToAdmin } from "./support"

const isForm = (path: string) => !/^\/admin\/(login|logout)/.test(path)

const FORM_ROUTES = [
  ...new Set(admin.routes.filter(({ method, path }) => method === "POST" && isForm(path)).map(({ path }) => path)),
]

/** A member may save 20 drafts per minute. */
const FORMS_PER_MEMBER = 15

const FIELDS = new Map([
  ["name", ["Typed name"]],
  ["field", ["1"]],
])

/** A path of a route. */
const getPath = (route: string, id: string): string =>
  route.replaceAll(/:\w+\{([a-z][\w-]*)[^}]*\}/g, "$1").replaceAll(/:\w+(\{[^}]*\})?/g, id)

async function createContent(owner: AdminBrowser): Promise<void> {
  const json = { name: "Bowl", price_cents: 1000, currency: "EUR" }
  await content("POST", "/products", { host: owner.host, token: owner.user.token, json })
  const lists: Record<string, Fields> = {
    categories: { name: "News" },
    tags: { name: "Wool" },
    galleries: { name: "Summer", pictures: "/media/a.png" },
    posts: { name: "Hello", content: "Old" },
    pages: { name: "About", content: "Old" },
    "media/folders": { name: "Cats" },
  }
  for (const [list, fields] of Object.entries(lists))
    expect((await owner.post(`/admin/${list}`, fields)).status).toBe(303)
}

test.each([
  ["the first objects", "1", FORM_ROUTES],
  ["missing objects", "999", FORM_ROUTES.filter((route) => /:\w+(?!\{[a-z])/.test(route))],
])(
  "changes nothing while it shows the forms of %s, and leads to a page without one",
  async (_, id, routes) => {
    const store = await makeShop()
    const [{ seq } = {}] = await rows("select seq from stores where id = ?", store)
    let owner = await signInToAdmin(store)
    await createContent(owner)
    const failed: Record<string, unknown> = {}
    const targets = new Set<string>()
    for (const [n, route] of routes.entries()) {
      if (n % FORMS_PER_MEMBER === 0) owner = await signInToAdmin(store)
      const path = getPath(route, id)
      const draft = await run((ctx) =>
        saveDraft(ctx, `user:${store}:${seq}:${owner.user.id}`, { path, fields: FIELDS }),
      )
      let response: TestResponse | undefined
      const { rowsWritten } = await costsOf(async () => {
        response = await owner.get(`${path}?draft=${draft}`)
      })
      const target = response?.headers.get("Location")
      if (target) targets.add(target)
      if (rowsWritten || !(response?.status === 200 || target?.endsWith("?done=form_restored")))
        failed[path] = { rowsWritten, status: response?.status, target }
    }
    expect(failed).toEqual({})
    for (const target of targets) {
      const page = await owner.get(target)
      expect([page.status, page.text.includes("Your form was not sent")], target).toEqual([200, true])
    }
  },
  120_000,
)
