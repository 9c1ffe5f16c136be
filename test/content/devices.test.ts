// Device tokens: registration, ownership, and one row per device.
import { describe, expect, test, vi } from "vitest"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"

const register = (json: object, token?: string, host?: string) =>
  content("POST", "/device-tokens", { json, token, host })

const stored = () =>
  siteRows("select token, device_id, user_id, platform, app_version, is_active from device_tokens order by id")

const NOT_FOUND = { error: true, data: null, message: "Device token not found" }

describe("registration", () => {
  test("registers a device without a user, and returns the row", async () => {
    const costs = await costsOf(async () => {
      const { status, body } = await register({ token: "t1", platform: "ios", device_id: "d1", app_version: "1.0" })
      expect(status).toBe(200)
      expect(body).toEqual({
        error: false,
        message: null,
        data: {
          id: expect.any(Number),
          token: "t1",
          platform: "ios",
          app_version: "1.0",
          device_id: "d1",
          is_active: true,
          last_used_at: expect.stringMatching(/\+00:00$/),
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      })
    })
    expect(costs.roundTrips).toBe(2)
    expect(await stored()).toMatchObject([{ token: "t1", user_id: null, is_active: 1 }])
  })

  test("updates and reactivates a stored token, and leaves omitted fields unchanged", async () => {
    const ada = await makeUser()
    const first = await register({ token: "t1", platform: "ios", device_id: "d1", app_version: "1.0" }, ada.token)
    await content("POST", `/device-tokens/${first.body.data.id}/deactivate`, { token: ada.token })
    const updated = await register({ token: "t1", app_version: "1.1", platform: null })
    expect(updated.body.data).toMatchObject({
      id: first.body.data.id,
      platform: "ios",
      app_version: "1.1",
      is_active: true,
    })
    const same = await register({ token: "t1", device_id: "d1" })
    expect(same.body.data.id).toBe(first.body.data.id)
    expect(await stored()).toEqual([
      { token: "t1", device_id: "d1", user_id: ada.id, platform: "ios", app_version: "1.1", is_active: 1 },
    ])
  })

  test("replaces the token of a device that registers with a new one", async () => {
    const ada = await makeUser()
    const first = await register({ token: "t1", device_id: "d1", platform: "android" }, ada.token)
    const replaced = await register({ token: "t2", device_id: "d1" }, ada.token)
    expect(replaced.body.data).toMatchObject({ id: first.body.data.id, token: "t2", platform: "android" })
    await register({ token: "t3" })
    await register({ token: "t3", device_id: "d1" }, ada.token)
    expect(await stored()).toMatchObject([{ token: "t3", device_id: "d1", user_id: ada.id }])
  })

  test("stores a separate row for an anonymous caller who knows the device id of a user", async () => {
    const ada = await makeUser()
    await register({ token: "t1", device_id: "d1" }, ada.token)
    await register({ token: "evil", device_id: "d1" })
    expect(await stored()).toMatchObject([
      { token: "t1", device_id: "d1", user_id: ada.id },
      { token: "evil", device_id: null, user_id: null },
    ])
  })

  test("assigns a token to the user of the bearer token", async () => {
    const [ada, bob] = [await makeUser(), await makeUser()]
    await register({ token: "t1", device_id: "d1" }, ada.token)
    await register({ token: "t1" }, bob.token)
    expect(await stored()).toMatchObject([{ token: "t1", user_id: bob.id }])
  })

  test("stores a token without the device id when the id belongs to another user, whose row is unchanged", async () => {
    const [ada, eve] = [await makeUser(), await makeUser()]
    await register({ token: "t1", device_id: "d1", platform: "ios" }, ada.token)
    const taken = await register({ token: "evil", device_id: "d1" }, eve.token)
    expect([taken.status, taken.body.data]).toMatchObject([200, { token: "evil", device_id: null, platform: null }])
    const both = [
      { token: "t1", device_id: "d1", user_id: ada.id },
      { token: "evil", device_id: null, user_id: eve.id },
    ]
    expect(await stored()).toMatchObject(both)
    // The token is stored by now, which must not delete the device's row either.
    await register({ token: "evil", device_id: "d1" }, eve.token)
    expect(await stored()).toMatchObject(both)
    await register({ token: "t2", device_id: "d1" }, ada.token)
    expect(await stored()).toMatchObject([{ ...both[0], token: "t2" }, both[1]])
  })

  test("deletes the least recently used devices of a user beyond 50", async () => {
    const ada = await makeUser()
    const start = Date.now()
    for (let n = 0; n < 52; n += 1) {
      vi.useFakeTimers({ toFake: ["Date"], now: start + n * 2_000 })
      expect((await register({ token: `t${n}` }, ada.token)).status).toBe(200)
    }
    // The oldest is used again, so the next registration evicts another one.
    vi.useFakeTimers({ toFake: ["Date"], now: start + 120_000 })
    await register({ token: "t2" }, ada.token)
    await register({ token: "last" }, ada.token)
    const tokens = (await stored()).map(({ token }) => token)
    expect(tokens).toHaveLength(50)
    expect(tokens.filter((token) => ["t0", "t1", "t2", "t3", "last"].includes(String(token)))).toEqual(["t2", "last"])
  })

  test("moves a device to a user who presents its current token", async () => {
    const [ada, bob] = [await makeUser(), await makeUser()]
    await register({ token: "t1", device_id: "d1" }, ada.token)
    await register({ token: "t1", device_id: "d1" }, bob.token)
    expect(await stored()).toMatchObject([{ token: "t1", device_id: "d1", user_id: bob.id }])
    await register({ token: "t2", device_id: "d1" }, ada.token)
    expect(await stored()).toMatchObject([
      { token: "t1", device_id: "d1", user_id: bob.id },
      { token: "t2", device_id: null, user_id: ada.id },
    ])
  })

  test("replaces the token of a device without a user by its id", async () => {
    await register({ token: "t1", device_id: "d1" })
    await register({ token: "t2", device_id: "d1" })
    expect(await stored()).toMatchObject([{ token: "t2", device_id: "d1", user_id: null }])
  })

  test("stores concurrent claims of a device without a user as separate rows", async () => {
    await register({ token: "t2", device_id: "d1" })
    const [ada, bob] = [await makeUser(), await makeUser()]
    const responses = await Promise.all([
      register({ token: "a", device_id: "d1" }, ada.token),
      register({ token: "b", device_id: "d1" }, bob.token),
    ])
    expect(responses.map((response) => response.status)).toEqual([200, 200])
    const rows = await stored()
    expect(rows.map(({ token, user_id }) => [token, user_id]).sort()).toEqual([
      ["a", ada.id],
      ["b", bob.id],
    ])
    expect(rows.filter(({ device_id }) => device_id === "d1")).toHaveLength(1)
  })

  test("registers anonymously with a bearer token that is not valid, without access to a user's device", async () => {
    const ada = await makeUser()
    await register({ token: "t1", device_id: "d1" }, ada.token)
    for (const [index, invalid] of ["nonsense", `1|${"x".repeat(48)}`].entries()) {
      const { status, body } = await register({ token: `s${index}`, device_id: "d1" }, invalid)
      expect([status, body.data.device_id]).toEqual([200, null])
      expect((await register({}, invalid)).status).toBe(422)
    }
    expect(await stored()).toMatchObject([
      { token: "t1", device_id: "d1", user_id: ada.id },
      { token: "s0", device_id: null, user_id: null },
      { token: "s1", device_id: null, user_id: null },
    ])
  })

  test("stores two concurrent registrations of the same device as one row", async () => {
    const both = await Promise.all([1, 2].map(() => register({ token: "t1", device_id: "d1" })))
    expect(both.map((response) => response.status)).toEqual([200, 200])
    expect(await stored()).toHaveLength(1)
  })

  test("treats empty fields as absent: null in a new row, unchanged in a stored one", async () => {
    const first = await register({ token: "t", platform: "", device_id: " ", app_version: "" })
    expect([first.status, first.body.data]).toMatchObject([200, { platform: null, device_id: null, app_version: null }])
    await register({ token: "t", platform: "ios", device_id: "d", app_version: "1" })
    const again = await register({ token: "t", platform: "", device_id: "", app_version: null })
    expect(again.body.data).toMatchObject({ platform: "ios", device_id: "d", app_version: "1" })
  })

  test("returns 422 for invalid fields", async () => {
    const wrong = [
      {},
      { token: "" },
      { token: "t".repeat(256) },
      { token: 5 },
      { token: "t", platform: "windows" },
      { token: "t", device_id: "d".repeat(256) },
      { token: "t", app_version: "v".repeat(51) },
    ]
    for (const json of wrong) expect((await register(json)).status).toBe(422)
    expect(await stored()).toEqual([])
  })
})

describe("a user's device tokens", () => {
  test("lists active device tokens, newest first", async () => {
    const [ada, bob] = [await makeUser(), await makeUser()]
    for (const token of ["t1", "t2", "t3"]) await register({ token }, ada.token)
    await register({ token: "other" }, bob.token)
    const { body } = await content("GET", "/device-tokens", { token: ada.token })
    expect(body).toEqual({ error: false, data: expect.any(Array), message: null })
    expect(body.data.map((item: { token: string }) => item.token)).toEqual(["t3", "t2", "t1"])
    const off = await content("POST", `/device-tokens/${body.data[1].id}/deactivate`, { token: ada.token })
    expect(off.body.data).toMatchObject({ token: "t2", is_active: false })
    expect((await content("GET", "/device-tokens", { token: ada.token })).body.data).toHaveLength(2)
    expect((await content("GET", "/device-tokens", { token: bob.token })).body.data).toHaveLength(1)
  })

  test("updates metadata in part, and returns 422 for the device id of another token", async () => {
    const ada = await makeUser()
    await register({ token: "t1", device_id: "d1" }, ada.token)
    const second = await register({ token: "t2", platform: "ios" }, ada.token)
    const put = (json: object) => content("PUT", `/device-tokens/${second.body.data.id}`, { token: ada.token, json })
    expect((await put({ app_version: "2.0" })).body.data).toMatchObject({
      token: "t2",
      platform: "ios",
      app_version: "2.0",
    })
    expect((await put({})).status).toBe(200)
    expect((await put({ platform: "windows" })).status).toBe(422)
    expect((await put({ device_id: "d1" })).body.errors).toEqual({
      device_id: ["The device id has already been taken."],
    })
  })

  test("deletes a token by id or by value, and returns 404 the second time", async () => {
    const ada = await makeUser()
    const first = await register({ token: "t1" }, ada.token)
    await register({ token: "t2" }, ada.token)
    const deleted = await content("DELETE", "/device-tokens/by-token", { token: ada.token, json: { token: "t2" } })
    expect(deleted.status).toBe(200)
    const again = await content("DELETE", "/device-tokens/by-token", { token: ada.token, json: { token: "t2" } })
    expect(again.status).toBe(404)
    expect(again.body).toEqual(NOT_FOUND)
    expect((await content("DELETE", "/device-tokens/by-token", { token: ada.token })).status).toBe(422)
    const path = `/device-tokens/${first.body.data.id}`
    expect((await content("DELETE", path, { token: ada.token })).status).toBe(200)
    expect((await content("DELETE", path, { token: ada.token })).body).toEqual(NOT_FOUND)
    expect(await stored()).toEqual([])
  })

  test("returns 404 for malformed ids and tokens of other users and sites, and 401 without a bearer token", async () => {
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    const [ada, bob, other] = [await makeUser(), await makeUser(), await makeUser(store)]
    const { body } = await register({ token: "t1" }, ada.token)
    const id = body.data.id
    const before = await stored()
    const requests: [string, string][] = [
      ["PUT", ""],
      ["DELETE", ""],
      ["POST", "/deactivate"],
    ]
    for (const [method, suffix] of requests) {
      const json = method === "PUT" ? { app_version: "9" } : undefined
      const request = (id: string | number, token?: string, at?: string) =>
        content(method, `/device-tokens/${id}${suffix}`, { token, json, host: at })
      for (const response of [await request(id, bob.token), await request(id, other.token, host)]) {
        expect(response.status).toBe(404)
        expect(response.body).toEqual(NOT_FOUND)
      }
      for (const malformed of ["1e3", "-1", "0", "9007199254740993", "1.0", "%00", "x".repeat(300)]) {
        expect((await request(malformed, ada.token)).body).toEqual(NOT_FOUND)
        expect((await request(malformed)).status).toBe(401)
      }
      expect((await request(id, ada.token, host)).status).toBe(401)
    }
    const byToken = (token: string, at?: string) =>
      content("DELETE", "/device-tokens/by-token", { token, host: at, json: { token: "t1" } })
    expect((await byToken(bob.token)).status).toBe(404)
    expect((await byToken(other.token, host)).status).toBe(404)
    expect((await content("GET", "/device-tokens")).status).toBe(401)
    await register({ token: "t1" }, undefined, host)
    expect(await stored()).toEqual([...before, expect.objectContaining({ token: "t1", user_id: null })])
  })
})
