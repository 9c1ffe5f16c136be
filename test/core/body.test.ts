// The body parsers: accepted and refused input, and linear cost.
import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import { lastValues, parseForm, readForm, readJson } from "../../src/core/http/body"
import { toRefusal } from "../../src/core/http/surface"
import { measureFastest } from "../support/timing"

const app = new Hono()
  .post("/form", async (c) => c.json([...(await readForm(c))]))
  .post("/json", async (c) => c.json(await readJson(c)))
  .onError((thrown, c) => {
    const refusal = toRefusal(thrown, "test")
    return c.json(null, refusal.code === "http_error" ? refusal.facts.status : 500)
  })

const send = async (path: string, body: BodyInit, type?: string) => {
  const response = await app.request(path, { method: "POST", body, headers: type ? { "Content-Type": type } : {} })
  return { status: response.status, body: await response.json() }
}

const URLENCODED = "application/x-www-form-urlencoded"

describe("readForm", () => {
  test("groups the values of a repeated field in the order of the body", async () => {
    const expected = [
      ["a", ["1", "3 +"]],
      ["b", ["2"]],
    ]
    expect((await send("/form", "a=1&b=2&a=3+%2B", URLENCODED)).body).toEqual(expected)
    const form = new FormData()
    for (const [name, value] of [
      ["a", "1"],
      ["b", "2"],
      ["a", "3 +"],
    ] as const)
      form.append(name, value)
    expect((await send("/form", form)).body).toEqual(expected)
  })

  test("skips files in a multipart form", async () => {
    const form = new FormData()
    form.append("picture", new Blob(["x"]), "x.png")
    form.append("name", "Ada")
    expect((await send("/form", form)).body).toEqual([["name", ["Ada"]]])
  })

  test("refuses the 1,001st field with 413, and accepts 1,000", async () => {
    expect((await send("/form", Array(1_000).fill("a=1").join("&"), URLENCODED)).status).toBe(200)
    expect((await send("/form", Array(1_001).fill("a=1").join("&"), URLENCODED)).status).toBe(413)
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
    expect((await send("/form", `${part.repeat(1_001)}--x--\r\n`, "multipart/form-data; boundary=x")).status).toBe(413)
  })

  test("refuses a malformed multipart body with 400, and another media type with 415", async () => {
    expect((await send("/form", "garbage", "multipart/form-data; boundary=x")).status).toBe(400)
    expect((await send("/form", "garbage", "multipart/form-data; charset=x")).status).toBe(400)
    expect((await send("/form", "{}", "application/json")).status).toBe(415)
    expect((await send("/form", "a=1", "text/plain")).status).toBe(415)
  })
})

test("readJson refuses text that is not JSON with 400", async () => {
  expect((await send("/json", "{", "application/json")).status).toBe(400)
  expect((await send("/json", '{"a":1}', "application/json")).body).toEqual({ a: 1 })
})

test("lastValues returns the last of several values, even for names of the object prototype", () => {
  const values = lastValues(parseForm("a=1&a=2&__proto__=x&constructor=y"))
  expect(values).toEqual({ a: "2", ["__proto__"]: "x", constructor: "y" })
  expect(Object.getPrototypeOf(values)).toBe(null)
})

test("parseForm reads a megabyte of the longest names and values in linear time", async () => {
  for (const unit of ["a&", "a[]=&", "%", "%41", "[", "=", "+", "é="]) {
    const text = unit.repeat(1_000_000 / unit.length)
    const ms = await measureFastest(250, () => {
      try {
        parseForm(text)
      } catch {}
    })
    expect(ms, unit).toBeLessThanOrEqual(250)
  }
})
