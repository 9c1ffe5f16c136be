// The DNS-over-HTTPS client: requests, responses and failures.
import { afterEach, describe, expect, test, vi } from "vitest"
import { type RecordType, resolver } from "../../src/lib/dns"

const RESOLVER_URL = "https://resolver.example/dns-query"
const FAILED = { status: "failed", records: [] }
const UNANSWERED = { status: "unanswered", records: [] }

afterEach(() => {
  vi.restoreAllMocks()
})

describe("requests", () => {
  test("sends a GET with name and type that accepts JSON", async () => {
    const fetch = vi.fn(async (_url: string, _init?: RequestInit) => Response.json({ Status: 0 }))
    await resolver(`${RESOLVER_URL}?ct=1`, fetch as typeof globalThis.fetch).lookup("shop.example", "AAAA")

    const [url = "", init] = fetch.mock.calls[0] ?? []
    expect(url).toBe(`${RESOLVER_URL}?ct=1&name=shop.example&type=AAAA`)
    expect(init?.method ?? "GET").toBe("GET")
    expect(new Headers(init?.headers).get("accept")).toBe("application/dns-json")
    expect(init?.redirect).toBe("manual")
  })

  test("escapes the name in the URL", async () => {
    const fetch = vi.fn(async (_url: string) => Response.json({ Status: 0 }))
    await resolver(RESOLVER_URL, fetch as typeof globalThis.fetch).lookup("a&type=TXT#", "A")
    expect(new URL(fetch.mock.calls[0]?.[0] ?? "").searchParams.get("name")).toBe("a&type=TXT#")
  })
})

describe("records", () => {
  test("returns addresses of the requested type for every name of the alias chain", async () => {
    const message = {
      Status: 0,
      TC: false,
      Question: [{ name: "www.shop.example.", type: 1 }],
      Answer: [
        { name: "www.shop.example.", type: 5, TTL: 60, data: "edge.cdn.example." },
        { name: "edge.cdn.example.", type: 5, TTL: 60, data: "node.cdn.example." },
        { name: "node.cdn.example.", type: 1, TTL: 60, data: "93.184.216.34" },
        { name: "node.cdn.example.", type: 1, TTL: 60, data: "10.0.0.1" },
        { name: "node.cdn.example.", type: 28, TTL: 60, data: "::1" },
        { name: "www.shop.example.", type: 46, TTL: 60, data: "A 13 3 60" },
      ],
    }
    expect(await lookUp(message, "A")).toEqual({ status: "ok", records: ["93.184.216.34", "10.0.0.1"] })
    expect(await lookUp(message, "AAAA")).toEqual({ status: "ok", records: ["::1"] })
    expect(await lookUp(message, "CNAME")).toEqual({ status: "ok", records: ["edge.cdn.example", "node.cdn.example"] })
    expect(await lookUp(message, "TXT")).toEqual({ status: "ok", records: [] })
  })

  test("joins the strings of quoted and bare TXT records", async () => {
    const cases: [name: string, data: string, text: string][] = [
      ["bare", "token", "token"],
      ["quoted", '"token"', "token"],
      ["empty", '""', ""],
      ["several strings", '"to" "ken"', "token"],
      ["several strings without a space", '"to""ken"', "token"],
      ["escaped quotes and backslashes", '"a \\"b\\" \\\\c"', 'a "b" \\c'],
      ["escaped octets", '"a\\059b\\032c"', "a;b c"],
      ["a quote that is not closed", '"token', '"token'],
      ["text after the string", '"to" ken', '"to" ken'],
    ]
    for (const [name, data, text] of cases) {
      const message = { Status: 0, Answer: [{ name: "shop.example", type: 16, TTL: 60, data }] }
      expect.soft(await lookUp(message, "TXT"), name).toEqual({ status: "ok", records: [text] })
    }
  })

  test("returns ok without records for an existing name", async () => {
    expect(await lookUp({ Status: 0 }, "A")).toEqual({ status: "ok", records: [] })
    expect(await lookUp({ Status: 0, Answer: [] }, "A")).toEqual({ status: "ok", records: [] })
  })

  test("returns nxdomain for a name that does not exist", async () => {
    expect(await lookUp({ Status: 3 }, "A")).toEqual({ status: "nxdomain", records: [] })
  })
})

describe("unusable responses", () => {
  test("returns failed for an error response code", async () => {
    const cases: [name: string, message: unknown][] = [
      ["the query was malformed", { Status: 1 }],
      ["the server failed", { Status: 2 }],
      ["the server refused", { Status: 5 }],
      ["the response is truncated", { Status: 0, TC: true, Answer: [{ name: "a", type: 1, data: "8.8.8.8" }] }],
    ]
    for (const [name, message] of cases) {
      expect.soft(await lookUp(message, "A"), name).toEqual(FAILED)
    }
  })

  test("returns unanswered for a malformed message", async () => {
    const cases: [name: string, message: unknown][] = [
      ["no status", { Answer: [] }],
      ["a status of another type", { Status: "0" }],
      ["an array", []],
      ["null", null],
      ["a string", "ok"],
      ["an answer section that is not a list", { Status: 0, Answer: {} }],
      ["a null record", { Status: 0, Answer: [null] }],
      ["a record without data", { Status: 0, Answer: [{ name: "a", type: 1 }] }],
      ["a record with numeric data", { Status: 0, Answer: [{ name: "a", type: 1, data: 1 }] }],
      ["a record whose type is a name", { Status: 0, Answer: [{ name: "a", type: "A", data: "8.8.8.8" }] }],
      ["a record without type", { Status: 0, Answer: [{ name: "a", data: "8.8.8.8" }] }],
    ]
    for (const [name, message] of cases) {
      expect.soft(await lookUp(message, "A"), name).toEqual(UNANSWERED)
    }
  })

  test("returns unanswered for a response without a DNS message", async () => {
    const cases: [name: string, respond: () => Response][] = [
      ["not JSON", () => new Response("<html>")],
      ["an empty body", () => new Response("")],
      ["no body", () => new Response(null)],
      ["400", () => Response.json({ Status: 0 }, { status: 400 })],
      ["503 without a body", () => new Response(null, { status: 503 })],
      ["a redirect", () => Response.redirect("https://elsewhere.example/", 302)],
      [
        "a failing connection",
        () => {
          throw new Error("Network connection lost.")
        },
      ],
    ]
    for (const [name, respond] of cases) {
      const broken = resolver(RESOLVER_URL, async () => respond())
      expect.soft(await broken.lookup("shop.example", "A"), name).toEqual(UNANSWERED)
    }
  })

  test("returns unanswered for an invalid resolver URL", async () => {
    expect(await resolver("nowhere", async () => Response.json({ Status: 0 })).lookup("shop.example", "A")).toEqual(
      UNANSWERED,
    )
  })

  test("reads a body of 64 KB and cancels a longer one", async () => {
    const body = (length: number) => '{"Status":0}'.padEnd(length)
    const ok = resolver(RESOLVER_URL, async () => new Response(body(65_536)))
    const long = resolver(RESOLVER_URL, async () => new Response(body(65_537)))
    expect((await ok.lookup("shop.example", "A")).status).toBe("ok")
    expect(await long.lookup("shop.example", "A")).toEqual(UNANSWERED)
  })

  test("cancels an endless body and releases its connection", async () => {
    const released = vi.fn()
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(" ".repeat(1_024))),
      cancel: released,
    })
    expect(await resolver(RESOLVER_URL, async () => new Response(endless)).lookup("shop.example", "A")).toEqual(
      UNANSWERED,
    )
    expect(released).toHaveBeenCalledOnce()
  })

  test("cancels the body of another status unread", async () => {
    const released = vi.fn()
    const response = new Response(new ReadableStream({ cancel: released }), { status: 502 })
    expect(await resolver(RESOLVER_URL, async () => response).lookup("shop.example", "A")).toEqual(UNANSWERED)
    expect(released).toHaveBeenCalledOnce()
  })

  test("returns unanswered after a timeout of three seconds", async () => {
    const clock = new AbortController()
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(clock.signal)
    const hanging = resolver(
      RESOLVER_URL,
      (_url, init) =>
        new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))),
    )
    const lookup = hanging.lookup("shop.example", "A")
    clock.abort(new DOMException("The operation timed out.", "TimeoutError"))
    expect(await lookup).toEqual(UNANSWERED)
    expect(timeout).toHaveBeenCalledExactlyOnceWith(3_000)
  })
})

/** Looks up a name while the resolver returns `message`. */
function lookUp(message: unknown, type: RecordType) {
  return resolver(RESOLVER_URL, async () => Response.json(message)).lookup("www.shop.example", type)
}
