// OWASP API7, server-side request forgery: the platform calls a caller's URL only if it is public in every spelling,
// and checks DNS again for each request. test/webhooks/url-safety.test.ts covers the spellings; this file tests the
// API.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { platform } from "../support/app"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { listOperations } from "../support/operations"
import { mockReceiver } from "../support/receiver"

// biome-ignore format: a list of addresses reads better filled
const UNSAFE_URLS = [
  "https://127.0.0.1/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/", "https://017700000001/", "https://127.1/", "https://0/",
  "https://0.0.0.0/", "https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data/", "https://100.64.0.1/",
  "https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[64:ff9b::7f00:1]/", "https://[fe80::1]/",
  "https://[fc00::1]/", "https://[2002:7f00:1::]/", "https://localhost/", "https://localhost./", "https://LOCALHOST/", "https://a.localhost/",
  "https://foo.localhost./", "https://127。0。0。1/", "https://①②⑦.⓪.⓪.①/", "https://user:pass@receiver.example/", "https://receiver.example@127.0.0.1/",
  "https://127.0.0.1#@receiver.example/", "https://127.0.0.1\\@receiver.example/", "http://receiver.example/", "ftp://receiver.example/", "file:///etc/passwd",
  "https://metadata.google.internal/", "https://printer.local/", "https://intranet/", "gopher://127.0.0.1:25/", "data:text/plain,x", "javascript:alert(1)",
]

const PRIVATE_ADDRESSES = [
  "127.0.0.1",
  "10.1.2.3",
  "169.254.169.254",
  "::1",
  "fd00::1",
  "::ffff:10.0.0.1",
  "0.0.0.0",
  "64:ff9b::a00:1",
]

test("only webhook operations accept a URL that the platform calls", () => {
  const operations = (["platform", "content", "license"] as const)
    .flatMap(listOperations)
    .filter(({ bodyFields }) =>
      bodyFields.some((name) => /^(url|uri|callback|webhook|endpoint|host|hook)(_url)?$/i.test(name)),
    )
  const names = ["webhooks", "storeWebhooks"].flatMap((group) => [`${group}.create`, `${group}.update`])
  expect(operations.map(({ id }) => id)).toEqual(names)
})

describe("the URL of a webhook endpoint", () => {
  test.each(["POST", "PATCH"])("%s refuses an internal URL without calling it", async (method) => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const { spy } = mockReceiver()
    const accepted: string[] = []
    for (const url of UNSAFE_URLS) {
      const response = await platform(method, method === "POST" ? "/webhooks" : `/webhooks/${id}`, {
        token,
        json: { url, events: ["*"] },
      })
      if (response.status !== 422 || !response.body.errors.url) accepted.push(`${url}: ${response.status}`)
    }
    expect(accepted).toEqual([])
    const called = spy.mock.calls.map(([url]) => String(url)).filter((url) => !url.startsWith(env.DNS_RESOLVER_URL))
    expect(called).toEqual([])
  })

  test("returns 422 for a URL on a host of the platform or of a store", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    mockReceiver()
    for (const host of ["localhost", `${store}.localhost`, "any.localhost", `${store}.localhost.`]) {
      const { status } = await platform("POST", "/webhooks", {
        token,
        json: { url: `https://${host}/x`, events: ["*"] },
      })
      expect(status, host).toBe(422)
    }
  })

  test("returns 422 when any DNS record of the host is a private address", async () => {
    const token = await makeKey()
    const accepted: string[] = []
    for (const address of PRIVATE_ADDRESSES) {
      for (const records of [[address], ["203.0.114.10", address]]) {
        mockReceiver(undefined, () => records)
        const { status } = await platform("POST", "/webhooks", {
          token,
          json: { url: "https://rebind.example/", events: ["*"] },
        })
        if (status !== 422) accepted.push(`${records}: ${status}`)
        vi.restoreAllMocks()
      }
    }
    expect(accepted).toEqual([])
  })
})

describe("every delivery", () => {
  test("fails with unsafe_host when the host now resolves to a private address", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    for (const address of PRIVATE_ADDRESSES) {
      const { requests } = mockReceiver(undefined, address)
      const { body } = await platform("POST", `/webhooks/${id}/test`, { token })
      expect(body.data.error, address).toBe("unsafe_host")
      expect(requests, address).toEqual([])
      vi.restoreAllMocks()
    }
  })

  test("does not call an internal URL that is already stored", async () => {
    const token = await makeKey()
    for (const url of UNSAFE_URLS) {
      const { id } = await makeEndpoint({ url })
      const { requests } = mockReceiver()
      const { body } = await platform("POST", `/webhooks/${id}/test`, { token })
      expect(body.data.status, url).not.toBe("delivered")
      expect(requests, url).toEqual([])
      vi.restoreAllMocks()
    }
  })

  test.each([301, 302, 303, 307, 308])(
    "does not follow a %d redirect, and records its status as a failure",
    async (status) => {
      const token = await makeKey()
      const { id } = await makeEndpoint()
      const { requests, spy } = mockReceiver(
        new Response(null, { status, headers: { Location: "http://127.0.0.1:8787/" } }),
      )
      const { body } = await platform("POST", `/webhooks/${id}/test`, { token })
      expect(body.data).toMatchObject({ status: "failed", response_status: status, error: `http_${status}` })
      expect(requests).toHaveLength(1)
      const sent = spy.mock.calls.filter(([url]) => !String(url).startsWith(env.DNS_RESOLVER_URL))
      expect(sent.map(([, init]) => (init as RequestInit).redirect)).toEqual(["manual"])
    },
  )
})

test("verifying a custom domain calls only the platform's own DNS resolver", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const origins: string[] = []
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    origins.push(new URL(input instanceof Request ? input.url : input).origin)
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
    const created = await platform("POST", `/stores/${store}/domains`, { token, json: { domain } })
    expect(created.status, domain).toEqual(domain === "good.example" ? 201 : 422)
  }
  await platform("POST", `/stores/${store}/domains/good.example/verify`, { token })
  expect([...new Set(origins)]).toEqual([new URL(env.DNS_RESOLVER_URL).origin])
})
