// The appearance of a shop: logo, icon, accent color and menu, which are previewed before they are saved.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import type { ShopAppearance } from "../../src/db/schema/sites/shop-settings"
import { themes } from "../../src/themes/catalog"
import { parsePostForms } from "../console/crawler"
import { call } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { rows, siteRows } from "../support/rows"
import { makeShop } from "./shop"
import { type AdminBrowser, type Fields, signInToAdmin } from "./support"

const APPEARANCE = {
  logo: "/media/logo.svg",
  favicon: "/media/icon.png",
  has_accent: "true",
  accent: "#FFEE00",
  menu: "",
  "menu.0.target": "/",
  "menu.1.target": "link",
  "menu.1.url": "https://example.com/about?a=1",
  "menu.1.name": "Our <story>",
  "menu.2.target": "/blog",
  "menu.2.name": "News",
} satisfies Fields

const readPreview = async (admin: AdminBrowser, page: string) => {
  const src = /<iframe src="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? ""
  return admin.get(src)
}

const listLinks = (html: string): string[] => {
  const menu = /<ul class="menu[^>]*>(.*?)<\/ul>/s.exec(html)?.[1] ?? ""
  return [...menu.matchAll(/href="([^"]*)"[^>]*>([^<]*)</g)].map(([, href, name]) => `${href} ${name}`)
}

const OWN_LINKS = ["/ Home", "https://example.com/about?a=1 Our &lt;story&gt;", "/blog News"]

test("previews an appearance without saving it, moves entries of the menu, and shows it to visitors of every theme", async () => {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const admin = await signInToAdmin(store, "admin")
  const visit = async (path = "/") => call("GET", path, { host })
  const before = await visit()
  const draft = await admin.get(`/admin/look?${new URLSearchParams({ ...APPEARANCE, move: "1.up" })}`)
  const names = [...draft.text.matchAll(/name="menu\.(\d)\.name"[^>]*value="([^"]*)"/g)].map(([, , name]) => name)
  expect(names).toEqual(["Our &lt;story&gt;", "", "News", ""])
  const preview = await readPreview(admin, draft.text)
  expect(listLinks(preview.text)).toEqual([OWN_LINKS[1], OWN_LINKS[0], OWN_LINKS[2]])
  expect(preview.text).toContain('<img src="/media/logo.svg"')
  // Yellow is too light for paper, and the page says which color is shown instead.
  const [, shown = ""] = /:root\{--accent:(#[0-9a-f]{6})/.exec(preview.text) ?? []
  expect(shown).not.toBe("#ffee00")
  expect(draft.text).toContain(`The shop shows ${shown}`)
  expect(preview.headers.get("Content-Security-Policy")?.match(/'sha256-/g)).toHaveLength(2)
  expect((await visit()).headers.get("ETag")).toBe(before.headers.get("ETag"))

  const saved = await admin.post("/admin/look", { ...APPEARANCE, theme: "nocturne", preset: "linen" })
  expect(saved.status).toBe(422)
  expect(await siteRows("select * from shop_settings where site_id = ?", store)).toEqual([])
  expect((await admin.post("/admin/look", APPEARANCE)).headers.get("Location")).toBe("/admin/look?done=look_changed")
  expect(
    await rows("select type from audit_entries where store_id = ? and type like 'site_settings%'", store),
  ).toHaveLength(1)
  for (const { slug, presets } of themes.filter(({ published }) => published)) {
    const changed = await admin.post("/admin/look", { theme: slug, preset: presets[0]?.slug ?? "" })
    expect(changed.status, slug).toBe(303)
    for (const path of ["/", "/blog", "/missing", "/search"]) {
      const { text, headers } = await visit(path)
      expect(listLinks(text), `${slug} ${path}`).toEqual(OWN_LINKS)
      expect(text).toMatch(/<a class="brand" href="\/"><img src="\/media\/logo.svg" alt="[^"]+"/)
      expect(text).toContain('<link rel="icon" href="/media/icon.png"')
      expect(headers.get("Content-Security-Policy")?.match(/style-src 'sha256-\S+ 'sha256-/), path).toBeTruthy()
    }
  }
  const home = await visit()
  expect(home.text).toContain(`property="og:image" content="https://${host}/media/logo.svg"`)
  expect(home.text).toContain('name="twitter:card" content="summary"')
  // Cleared, the shop appearances as before.
  const cleared = await admin.post("/admin/look", {
    logo: "",
    favicon: "",
    has_accent: "false",
    accent: "#ffee00",
    menu: "",
  })
  expect(cleared.status).toBe(303)
  expect((await visit()).text).not.toMatch(/logo\.svg|icon\.png|<style>:root\{--accent/)
})

test("refuses an invalid appearance, and keeps what was typed", async () => {
  const store = await makeReadyStore()
  const admin = await signInToAdmin(store, "admin")
  for (const [fields, field] of [
    [{ logo: "javascript:alert(1)" }, "logo"],
    [{ favicon: "data:image/svg+xml,x" }, "favicon"],
    [{ has_accent: "true", accent: "red;}" }, "accent"],
    [{ menu: "", "menu.0.target": "link", "menu.0.url": "//evil.example", "menu.0.name": "x" }, "menu-0-url"],
    [{ menu: "", "menu.0.target": "link", "menu.0.url": "/\\evil.example", "menu.0.name": "x" }, "menu-0-url"],
    [{ menu: "", "menu.0.target": "link", "menu.0.url": "javascript:alert(1)", "menu.0.name": "x" }, "menu-0-url"],
    [{ menu: "", "menu.1.target": "link", "menu.1.url": "/search" }, "menu-0-name"],
    [{ menu: "", "menu.0.name": "Sale" }, "menu-0-target"],
    [{ menu: "", "menu.0.target": "/", "menu.0.name": "x".repeat(41) }, "menu-0-name"],
  ] satisfies [Fields, string][]) {
    const refused = await admin.post("/admin/look", fields)
    expect([refused.status, refused.text.includes(`id="${field}-error"`)], JSON.stringify(fields)).toEqual([422, true])
    const query = `/admin/look?${new URLSearchParams({ logo: "", ...fields })}`
    const draft = await admin.get(query)
    expect([draft.status, draft.text.includes(`id="${field}-error"`)], query).toEqual([422, true])
    expect((await readPreview(admin, draft.text)).status).toBe(200)
  }
  // No more entries than fit are read.
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [
      [`menu.${at}.target`, "link"],
      [`menu.${at}.url`, "/search"],
      [`menu.${at}.name`, "x"],
    ]).flat(),
  )
  expect((await admin.post("/admin/look", { menu: "", ...many })).status).toBe(422)
  expect(await siteRows("select * from shop_settings where site_id = ?", store)).toEqual([])
  const editor = await signInToAdmin(store, "editor")
  for (const path of ["/admin/look", "/admin/look/logo"])
    expect((await editor.post(path, APPEARANCE)).status, path).toBe(403)
})

test("uploads a logo in place, which the checklist then counts as done", async () => {
  const store = await makeShop()
  const admin = await signInToAdmin(store, "admin")
  const checklist = async () => (await admin.get("/admin")).text
  expect(await checklist()).toContain('<a href="/admin/look">Add your logo</a>')
  const action = parsePostForms((await admin.get("/admin/look")).text).find((form) =>
    form.action.endsWith("/logo"),
  )?.action
  const upload = (name: string, data: string) =>
    call("POST", String(action), {
      host: admin.host,
      headers: {
        Cookie: admin.cookie,
        "Content-Type": "multipart/form-data; boundary=b",
        "Sec-Fetch-Site": "same-origin",
      },
      body: `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${data}\r\n--b--\r\n`,
    })
  const refused = await upload("notes.txt", "Hello")
  expect([refused.status, refused.text.includes('id="logo-file-error"')]).toEqual([422, true])
  expect([await siteRows("select name from media_files"), (await env.MEDIA.list()).objects]).toEqual([[], []])
  expect((await upload("logo.gif", "GIF89a data")).status).toBe(303)
  expect((await call("GET", "/", { host: admin.host })).text).toMatch(/<img src="\/media\/[^"]+\.gif" alt=/)
  expect(await checklist()).toContain("Add your logo (Done)")
})

test("lists the posts of a category, and leaves pages out of the menu that are not published", async () => {
  const store = await makeReadyStore()
  const admin = await signInToAdmin(store)
  await admin.post("/admin/categories", { name: "Pottery", description: "From the kiln" })
  await admin.post("/admin/posts", { name: "First <bowl>", content: "x", categories: "pottery", status: "published" })
  await admin.post("/admin/posts", { name: "Secret", content: "x", categories: "pottery", status: "draft" })
  await admin.post("/admin/posts", { name: "Elsewhere", content: "x", status: "published" })
  await admin.post("/admin/pages", { name: "Terms", content: "x", status: "published" })
  const menu = { menu: "", "menu.0.target": "/pages/terms", "menu.1.target": "/categories/pottery" }
  expect((await admin.post("/admin/look", menu)).status).toBe(303)
  const visit = async (path: string) => call("GET", path, { host: admin.host })
  const { text, status } = await visit("/categories/pottery")
  expect([status, listLinks(text)]).toEqual([200, ["/pages/terms Terms", "/categories/pottery Pottery"]])
  expect(text).toContain("First &lt;bowl&gt;")
  expect(text).not.toMatch(/Secret|Elsewhere/)
  const neighbor = await makeReadyStore()
  expect((await call("GET", "/categories/pottery", { host: hostOfStore(neighbor) })).status).toBe(404)
  const [page] = await siteRows("select id from pages where slug = 'terms' and site_id = ?", store)
  await admin.post(`/admin/pages/${page?.id}/edit`, { status: "draft" })
  expect(listLinks((await visit("/")).text)).toEqual(["/categories/pottery Pottery"])
})

const readStoredAppearance = async (store: string): Promise<ShopAppearance> => {
  const [row] = await siteRows("select settings from shop_settings where site_id = ?", store)
  return JSON.parse(String(row?.settings)).look
}

test("two appearances that are saved at once are stored one after the other, and neither is refused", async () => {
  const store = await makeReadyStore()
  const admins = [await signInToAdmin(store, "admin"), await signInToAdmin(store, "owner")]
  const [first, second] = themes
    .filter(({ published }) => published)
    .map(({ slug, presets }) => [slug, presets[1]?.slug])
  const chosen = [first, second].map(([theme = "", preset = ""] = []) => ({ theme, preset }))
  const appearances = [
    { ...APPEARANCE, logo: "/media/one.svg", accent: "#111111", ...chosen[0] },
    { ...APPEARANCE, logo: "/media/two.svg", accent: "#222222", "menu.2.name": "Journal", ...chosen[1] },
  ]
  const saved = await Promise.all(admins.map((admin, at) => admin.post("/admin/look", appearances[at] ?? {})))
  expect(saved.map(({ status }) => status)).toEqual([303, 303])
  const [row] = await rows("select theme, preset from stores where id = ?", store)
  expect(chosen).toContainEqual(row)
  const { logo, accent, menu } = await readStoredAppearance(store)
  expect([
    ["/media/one.svg", "#111111", "News"],
    ["/media/two.svg", "#222222", "Journal"],
  ]).toContainEqual([logo, accent, menu[2]?.name])
  // The later one was decided on what the earlier one had stored.
  const entries = await rows(
    "select before, after from audit_entries where store_id = ? and type = 'site_settings_changed'",
    store,
  )
  const logos = entries.map((entry) => [entry.before, entry.after].map((side) => JSON.parse(String(side)).look.logo))
  expect(logos.sort(([before]) => (before === null ? -1 : 1))).toEqual([
    [null, expect.any(String)],
    [expect.any(String), logo],
  ])
})

test("two parts of an appearance that are saved at once are both stored", async () => {
  const store = await makeReadyStore()
  const admins = [await signInToAdmin(store, "admin"), await signInToAdmin(store, "owner")]
  for (let round = 0; round < 5; round++) {
    const parts: Fields[] = [{ logo: `/media/${round}.svg` }, { accent: `#00000${round}`, has_accent: "true" }]
    const saved = await Promise.all(admins.map((admin, at) => admin.post("/admin/look", parts[at] ?? {})))
    expect(saved.map(({ status }) => status)).toEqual([303, 303])
    expect(await readStoredAppearance(store)).toMatchObject({ logo: `/media/${round}.svg`, accent: `#00000${round}` })
  }
})

test("reads what a menu can lead to only when the submitted menu names one of them", async () => {
  const store = await makeReadyStore()
  const admin = await signInToAdmin(store, "admin")
  const roundTripsOf = async (fields: Fields) => {
    const { roundTrips } = await costsOf(async () => {
      expect((await admin.post("/admin/look", fields)).status).toBe(303)
    })
    return roundTrips
  }
  const own = { menu: "", "menu.0.target": "link", "menu.0.url": "/search", "menu.0.name": "Search" }
  const without = await roundTripsOf({ logo: "/media/a.svg", ...own })
  expect(await roundTripsOf({ logo: "/media/b.svg", menu: "", "menu.0.target": "/" })).toBe(without + 1)
})
