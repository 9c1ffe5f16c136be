// API7, server side request forgery: an address that a caller gives is called only when it is public, in whatever spelling, and what DNS
// says of it the next time counts. Every spelling known is in test/webhooks/addresses.test.ts; here they come in by the front door.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { platform } from "../support/app"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { operationsOf } from "../support/operations"
import { receive } from "../support/receiver"

// biome-ignore format: a list of addresses reads better filled
const INWARD = [
  "https://127.0.0.1/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/", "https://017700000001/", "https://127.1/", "https://0/",
  "https://0.0.0.0/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data/", "https://100.64.0.1/",
  "https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[64:ff9b::7f00:1]/", "https://[fe80::1]/",
  "https://[fc00::1]/", "https://[2002:7f00:1::]/", "https://localhost/", "https://localhost./", "https://LOCALHOST/", "https://a.localhost/",
  "https://foo.localhost./", "https://127。0。0。1/", "https://①②⑦.⓪.⓪.①/", "https://user:pass@receiver.example/", "https://receiver.example@127.0.0.1/",
  "https://127.0.0.1#@receiver.example/", "https://127.0.0.1\\@receiver.example/", "http://receiver.example/", "ftp://receiver.example/", "file:///etc/passwd",
  "https://metadata.google.internal/", "https://printer.local/", "https://intranet/", "gopher://127.0.0.1:25/", "data:text/plain,x", "javascript:alert(1)",
]

const PRIVATE_ANSWERS = [
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "::1",
  "fd00::1",
  "::ffff:10.0.0.1",
  "0.0.0.0",
  "64:ff9b::a00:1",
]

test("no operation but these takes an address that the platform calls", () => {
  const takers = (["platform", "content", "license"] as const)
    .flatMap(operationsOf)
    .filter(({ takes }) => takes.some((name) => /^(url|uri|callback|webhook|endpoint|host|hook)(_url)?$/i.test(name)))
  expect(takers.map(({ id }) => id)).toEqual(["webhooks.create", "webhooks.update"])
})

describe("an endpoint's address", () => {
  test.each(["POST", "PATCH"])("that leads inward is refused by %s before anybody is asked", async (method) => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const { spy } = receive()
    const taken: string[] = []
    for (const url of INWARD) {
      const answer = await platform(method, method === "POST" ? "/webhooks" : `/webhooks/${id}`, {
        token,
        json: { url, events: ["*"] },
      })
      if (answer.status !== 422 || !answer.body.errors.url) taken.push(`${url}: ${answer.status}`)
    }
    expect(taken).toEqual([])
    const called = spy.mock.calls.map(([url]) => String(url)).filter((url) => !url.startsWith(env.DNS_RESOLVER_URL))
    expect(called).toEqual([])
  })

  test("of a store, of the platform and of their subdomains is refused", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    receive()
    for (const host of ["localhost", `${store}.localhost`, "any.localhost", `${store}.localhost.`]) {
      const { status } = await platform("POST", "/webhooks", {
        token,
        json: { url: `https://${host}/x`, events: ["*"] },
      })
      expect(status, host).toBe(422)
    }
  })

  test("is refused when DNS leads inward, with one of several answers as with all", async () => {
    const token = await makeKey()
    const taken: string[] = []
    for (const address of PRIVATE_ANSWERS) {
      for (const answers of [[address], ["203.0.114.10", address]]) {
        receive(undefined, () => answers)
        const { status } = await platform("POST", "/webhooks", {
          token,
          json: { url: "https://rebind.example/", events: ["*"] },
        })
        if (status !== 422) taken.push(`${answers}: ${status}`)
        vi.restoreAllMocks()
      }
    }
    expect(taken).toEqual([])
  })
})

describe("at every send", () => {
  test("a name that leads inward by now is not called, and the delivery says so", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    for (const address of PRIVATE_ANSWERS) {
      const { requests } = receive(undefined, address)
      const { body } = await platform("POST", `/webhooks/${id}/test`, { token })
      expect([body.data.error, requests], address).toEqual(["unsafe_host", []])
      vi.restoreAllMocks()
    }
  })

  test("an address that is inward by its text is not called, however it came to be stored", async () => {
    const token = await makeKey()
    for (const url of INWARD) {
      const { id } = await makeEndpoint({ url })
      const { requests } = receive()
      const { body } = await platform("POST", `/webhooks/${id}/test`, { token })
      expect([body.data.status === "delivered", requests], url).toEqual([false, []])
      vi.restoreAllMocks()
    }
  })

  test.each([301, 302, 303, 307, 308])("a redirect is an answer, and is not followed: %d", async (status) => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const { requests, spy } = receive(new Response(null, { status, headers: { Location: "http://127.0.0.1:8787/" } }))
    const { body } = await platform("POST", `/webhooks/${id}/test`, { token })
    expect(body.data).toMatchObject({ status: "failed", response_status: status, error: `http_${status}` })
    expect(requests).toHaveLength(1)
    const sent = spy.mock.calls.filter(([url]) => !String(url).startsWith(env.DNS_RESOLVER_URL))
    expect(sent.map(([, init]) => (init as RequestInit).redirect)).toEqual(["manual"])
  })
})

test("a customer's domain, whatever it is called, makes the platform ask its own resolver and nobody else", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const asked: string[] = []
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    asked.push(new URL(input instanceof Request ? input.url : input).origin)
    return Response.json({ Status: 3 })
  })
  for (const domain of [
    "127.0.0.1",
    "localhost",
    "a.example/../..",
    "a.example:80",
    "a.example#",
    "a.example?x=",
    "xn--a",
    "good.example",
    "a@b.example",
    "[::1]",
  ]) {
    const made = await platform("POST", `/stores/${store}/domains`, { token, json: { domain } })
    expect(made.status, domain).toEqual(domain === "good.example" ? 201 : 422)
  }
  await platform("POST", `/stores/${store}/domains/good.example/verify`, { token })
  expect([...new Set(asked)]).toEqual([new URL(env.DNS_RESOLVER_URL).origin])
})
