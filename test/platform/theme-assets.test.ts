// A theme whose stylesheet is not here: nobody can choose it, and a store that wears it is shown in the default theme.
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, expect, test } from "vitest"
import { atelier } from "../../src/themes/atelier"
import { listed, themeSources, themes } from "../../src/themes/catalog"
import type { Theme, ThemeSource } from "../../src/themes/theme"
import { call, platform } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"

const bare: ThemeSource = { ...atelier, slug: "bare", name: "Bare", layout: null }

beforeEach(() => {
  ;(themeSources as ThemeSource[]).push(bare)
  ;(themes as Theme[]).push(listed(bare))
})

afterEach(() => {
  ;(themeSources as ThemeSource[]).pop()
  ;(themes as Theme[]).pop()
})

test("it is theme_unavailable to a store that asks for it, and nothing changes", async () => {
  const token = await makeKey()
  const store = await makeReadyStore({ theme: "nocturne" })
  const refused = await platform("POST", `/stores/${store}/theme`, { token, json: { theme: "bare" } })
  expect([refused.status, refused.body.error.code]).toEqual([409, "theme_unavailable"])
  expect((await platform("GET", `/stores/${store}`, { token })).body.data.theme).toBe("nocturne")
})

test("a store that wears it is shown in the default theme", async () => {
  const store = await makeReadyStore({ name: "Marlow" })
  const worn = (await call("GET", "/", { host: hostOfStore(store) })).text
  await env.DB.prepare("update stores set theme = 'bare' where id = ?").bind(store).run()
  const shown = await call("GET", "/", { host: hostOfStore(store) })
  expect([shown.status, shown.text === worn]).toEqual([200, true])
})
