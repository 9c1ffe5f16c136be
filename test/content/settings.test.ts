// A user's six settings.
import { describe, expect, test } from "vitest"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"

const DEFAULTS = {
  biometric_enabled: false,
  notification_enabled: true,
  language: "en",
  currency: "USD",
  theme: "light",
  timezone: "UTC",
}

describe("/settings", () => {
  test("returns the defaults to a user without settings, and stores nothing", async () => {
    const { token } = await makeUser()
    expect((await content("GET", "/settings", { token })).body).toEqual({ error: false, data: DEFAULTS, message: null })
    expect(await siteRows("select * from user_settings")).toEqual([])
  })

  test("updates the settings in the request and returns all six, in two round trips", async () => {
    const { token } = await makeUser()
    const put = (json: object) => content("PUT", "/settings", { token, json })
    const costs = await costsOf(async () => {
      const { status, body } = await put({ theme: "dark", biometric_enabled: true, unknown: 1 })
      expect(status).toBe(200)
      expect(body.data).toEqual({ ...DEFAULTS, theme: "dark", biometric_enabled: true })
    })
    expect(costs.roundTrips).toBe(2)
    expect((await put({ currency: "eur", timezone: "Europe/Paris", language: "pt-BR" })).body.data).toEqual({
      ...DEFAULTS,
      theme: "dark",
      biometric_enabled: true,
      currency: "EUR",
      timezone: "Europe/Paris",
      language: "pt-BR",
    })
    expect((await put({})).body.data.theme).toBe("dark")
    expect((await put({ biometric_enabled: "0", notification_enabled: 0 })).body.data).toMatchObject({
      biometric_enabled: false,
      notification_enabled: false,
    })
    expect((await content("GET", "/settings", { token })).body.data.theme).toBe("dark")
    expect((await content("GET", "/me", { token })).body.data.settings.theme).toBe("dark")
    expect(await siteRows("select site_id from user_settings")).toEqual([{ site_id: "central" }])
  })

  test("returns 422 for an invalid value, and changes nothing", async () => {
    const { token } = await makeUser()
    const wrong: [string, unknown][] = [
      ["theme", "pink"],
      ["biometric_enabled", "yes"],
      ["notification_enabled", 2],
      ["language", "english please"],
      ["currency", "EURO"],
      ["timezone", "Mars/Olympus"],
      ["timezone", "+01:00"],
      ["timezone", 5],
      ["theme", null],
    ]
    for (const [field, value] of wrong) {
      const response = await content("PUT", "/settings", { token, json: { [field]: value } })
      expect(response.status, `${field} ${value}`).toBe(422)
      expect(Object.keys(response.body.errors)).toEqual([field])
    }
    expect(await siteRows("select * from user_settings")).toEqual([])
  })

  test("stores settings per user and site", async () => {
    const store = await makeReadyStore()
    const email = "ada@example.com"
    const [here, there] = [await makeUser("central", { email }), await makeUser(store, { email })]
    await content("PUT", "/settings", { token: here.token, json: { theme: "dark" } })
    const host = hostOfStore(store)
    expect((await content("GET", "/settings", { token: there.token, host })).body.data.theme).toBe("light")
    expect((await content("GET", "/settings", { token: here.token, host })).status).toBe(401)
    expect((await content("PUT", "/settings", { token: here.token, host, json: { theme: "dark" } })).status).toBe(401)
    expect(await siteRows("select site_id from user_settings")).toEqual([{ site_id: "central" }])
  })
})
