// Themes without a stylesheet: stores cannot choose them, and fall back to the default theme.
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, expect, test } from "vitest"
import { atelier } from "../../src/themes/atelier"
import { themeSources, themes, toTheme } from "../../src/themes/catalog"
import type { Theme, ThemeSource } from "../../src/themes/theme"
import { call, platform } from "../support/app"
import { hostOfStore } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"

const bare: ThemeSource = { ...atelier, slug: "bare", name: "Bare", layout: null }

beforeEach(() => {
  ;(themeSources as ThemeSource[]).push(bare)
  ;(themes as Theme[]).push(toTheme(bare))
})

afterEach(() => {
  ;(themeSources as ThemeSource[]).pop()
  ;(themes as Theme[]).pop()
})

test("returns theme_unavailable for a theme without a stylesheet and changes nothing", async () => {
  const token = await makeKey()
  const store = await makeReadyStore({ theme: "nocturne" })
  const response = await platform("POST", `/stores/${store}/theme`, { token, json: { theme: "bare" } })
  expect([response.status, response.body.error.code]).toEqual([409, "theme_unavailable"])
  expect((await platform("GET", `/stores/${store}`, { token })).body.data.theme).toBe("nocturne")
})

test("renders a store in the default theme when its theme has no stylesheet", async () => {
  const store = await makeReadyStore({ name: "Marlow" })
  const before = (await call("GET", "/", { host: hostOfStore(store) })).text
  await env.DB.prepare("update stores set theme = 'bare' where id = ?").bind(store).run()
  const after = await call("GET", "/", { host: hostOfStore(store) })
  expect([after.status, after.text === before]).toEqual([200, true])
})
