// URL safety: hostile spellings of URLs and DNS responses that must be refused, and valid ones that must pass.
import * as fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { checkUrl, resolveHost, type UrlRefusal } from "../../src/core/outbound/url-safety"
import { resolver } from "../../src/lib/dns"

const RULES = { centralDomain: "tenancy.example", allowPrivateHosts: false }
const DEVELOPMENT = { centralDomain: "localhost", allowPrivateHosts: true }

/** 2 048 characters. */
const LONGEST_URL = "https://example.com/".padEnd(2_048, "a")

describe("checkUrl with hostile URLs", () => {
  const HOSTILE: Record<UrlRefusal, string[]> = {
    too_long: [`${LONGEST_URL}a`, `https://${"a.".repeat(10_000)}example.com/`],
    malformed: [
      "",
      "example.com",
      "//example.com/hook",
      "/hook",
      "https:",
      "https://",
      "https:///example.com/hook",
      "https:/example.com/hook",
      "https:example.com/hook",
      "https://?example.com",
      "https://#example.com",
      "https://:443/",
      " https://example.com/",
      "https://example.com/\n",
      "ht\ttps://example.com/",
      "https://exa\tmple.com/",
      "https://127.0.\n0.1/",
      "https://example.com/a\r\nX-Injected: 1",
      "https://example.com/a b",
      "https://example.com/\0",
      "https://example.com/\u007f",
      "https://example.com/\ufeff",
      "https://example.com/\ud800",
      "https://127.0.0.1\\@example.com/",
      "https://example.com\\.attacker.example/",
      "https:\\\\example.com\\hook",
      "https://example.com:port/",
      "https://example.com:65536/",
      "https://example.com:-1/",
      "https://example..com/",
      "https://.example.com/",
      "https://example.com../",
      "https://-example.com/",
      "https://my_hook.example.com/",
      "https://*.example.com/",
      "https://exa%20mple.com/",
      "https://exa%00mple.com/",
      "https://example.com%2f.attacker.example/",
      "https://example.com／attacker.example/",
      "https://example.com：8443/",
      `https://${"a".repeat(64)}.example.com/`,
      `https://${"a.".repeat(127)}com/`,
      "https://256.256.256.256/",
      "https://1.2.3.4.5/",
      "https://08.0.0.1/",
      "https://0x7g.0.0.1/",
      "https://4294967296/",
      "https://example.1/",
      "https://[::1/",
      "https://[]/",
      "https://[1.2.3.4]/",
      "https://[::ffff:1.2.3]/",
      "https://[fe80::1%eth0]/",
      "https://[fe80::1%25eth0]/",
      "https://[::1]example.com/",
      "https://::1/",
    ],
    not_https: [
      "http://example.com/hook",
      "http://127.0.0.1/",
      "HTTP://example.com/",
      "ftp://example.com/",
      "ws://example.com/",
      "wss://example.com/",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "data:text/plain,a",
      "blob:https://example.com/1",
      "gopher://127.0.0.1:6379/_",
      "https+unix://example.com/",
    ],
    credentials: [
      "https://user:secret@example.com/",
      "https://user@example.com/",
      "https://:secret@example.com/",
      "https://@example.com/",
      "https://:@example.com/",
      "https://example.com@127.0.0.1/",
      "https://example.com%40@127.0.0.1/",
      "https://127.0.0.1@example.com/",
      "https://example.com:443@127.0.0.1:8443/",
      "https://a@b@example.com/",
    ],
    port: [
      "https://example.com:0/",
      "https://example.com:1/",
      "https://example.com:22/",
      "https://example.com:80/",
      "https://example.com:442/",
      "https://example.com:444/",
      "https://example.com:1023/",
      "https://example.com:0025/",
      "https://127.0.0.1:6/",
      "https://[::1]:80/",
    ],
    own_domain: [
      "https://tenancy.example/",
      "https://TENANCY.Example/",
      "https://tenancy.example./",
      "https://tenancy.example:8443/",
      "https://shop.tenancy.example/hook",
      "https://SHOP.tenancy.EXAMPLE./hook",
      "https://a.b.c.tenancy.example/",
      "https://ｔｅｎａｎｃｙ．ｅｘａｍｐｌｅ/",
      "https://shop。tenancy。example/",
      "https://ten%61ncy.example/",
      "https://shop%2Etenancy.example/",
      "https://ten\u00adancy.example/",
      "https://ⓣenancy.example/",
      "https://𝕥𝕖𝕟𝕒𝕟𝕔𝕪.example/",
    ],
    // A Worker cannot send to an IP address, even to a public one.
    address: [
      "https://93.184.216.34/hook",
      "https://8.8.8.8:8443/",
      "https://1.1.1.1./",
      "https://0x08080808/",
      "https://172.32.0.1/",
      "https://[2606:4700:4700::1111]/",
      "https://[2606:4700:4700:0:0:0:0:1111]:8443/hook?a",
    ],
    private_host: [
      // Loopback in every spelling of inet_aton.
      "https://127.0.0.1/",
      "https://127.0.0.1:8443/hook",
      "https://127.255.255.254/",
      "https://127.0.0.1./",
      "https://127.1/",
      "https://127.0.1/",
      "https://2130706433/",
      "https://2130706433./",
      "https://0x7f000001/",
      "https://0X7F000001/",
      "https://0x7f.0.0.1/",
      "https://0x7f.1/",
      "https://0x7f.0x0.0x0.0x1/",
      "https://017700000001/",
      "https://0177.0.0.1/",
      "https://0177.0.0.01/",
      "https://00000177.0.0.1/",
      "https://0177.0x0.1/",
      "https://127.0x1/",
      "https://127.0.0.0x1/",
      "https://0x7f.0.0.01./",
      // The same through mapping, decoding and other digits.
      "https://127。0。0。1/",
      "https://127．0．0．1/",
      "https://127｡0｡0｡1/",
      "https://１２７.0.0.1/",
      "https://①②⑦.⓪.⓪.①/",
      "https://𝟏𝟐𝟕.𝟎.𝟎.𝟏/",
      "https://０ｘ７ｆ.1/",
      "https://127.0.0.1\u00ad/",
      "https://%31%32%37.0.0.1/",
      "https://127%2e0%2e0%2e1/",
      "https://%32130706433/",
      // Other ranges of IPv4.
      "https://0/",
      "https://0.0.0.0/",
      "https://0x0/",
      "https://00/",
      "https://0.0.0.1/",
      "https://10.0.0.1/",
      "https://10.1/",
      "https://012.1.2.3/",
      "https://167772161/",
      "https://100.64.0.1/",
      "https://169.254.169.254/latest/meta-data/",
      "https://2852039166/",
      "https://0xa9fea9fe/",
      "https://0251.0376.0251.0376/",
      "https://169.254.43518/",
      "https://172.16.0.1/",
      "https://172.31.255.255/",
      "https://192.0.0.1/",
      "https://192.0.2.1/",
      "https://192.88.99.1/",
      "https://192.168.1.1/",
      "https://192.168.257/",
      "https://0xc0a80101/",
      "https://198.18.0.1/",
      "https://198.51.100.1/",
      "https://203.0.113.1/",
      "https://224.0.0.1/",
      "https://240.0.0.1/",
      "https://255.255.255.255/",
      "https://4294967295/",
      // IPv6, bare and wrapping IPv4.
      "https://[::]/",
      "https://[::1]/",
      "https://[::1]:8443/",
      "https://[0:0:0:0:0:0:0:1]/",
      "https://[0000:0000:0000:0000:0000:0000:0000:0001]/",
      "https://[::0.0.0.1]/",
      "https://[::127.0.0.1]/",
      "https://[::7f00:1]/",
      "https://[::ffff:127.0.0.1]/",
      "https://[::FFFF:7F00:1]/",
      "https://[0:0:0:0:0:ffff:10.0.0.1]/",
      "https://[::ffff:a9fe:a9fe]/",
      "https://[::ffff:8.8.8.8]/",
      "https://[::ffff:0:127.0.0.1]/",
      "https://[64:ff9b::127.0.0.1]/",
      "https://[64:ff9b::a9fe:a9fe]/",
      "https://[64:ff9b:1::10.0.0.1]/",
      "https://[2002:7f00:1::]/",
      "https://[2002:a00:1::1]/",
      "https://[2001::1]/",
      "https://[2001:0:808:808:0:0:80ff:fffe]/",
      "https://[2001:db8::1]/",
      "https://[2001:10::1]/",
      "https://[2001:20::1]/",
      "https://[100::1]/",
      "https://[3fff::1]/",
      "https://[5f00::1]/",
      "https://[fc00::1]/",
      "https://[fd00:ec2::254]/",
      "https://[fe80::1]/",
      "https://[fec0::1]/",
      "https://[ff02::1]/",
      "https://[4000::1]/",
      // Names that are private by their text.
      "https://localhost/",
      "https://LOCALHOST:8443/",
      "https://localhost./",
      "https://ｌｏｃａｌｈｏｓｔ/",
      "https://loc%61lhost/",
      "https://ⓛocalhost/",
      "https://shop.localhost/",
      "https://intranet/",
      "https://intranet./",
      "https://com/",
      "https://bücher/",
      "https://printer.local/",
      "https://PRINTER.LOCAL./",
      "https://printer。local/",
      "https://local/",
      "https://metadata.google.internal/",
      "https://metadata.google.internal./",
      "https://host.docker.Internal:8443/",
    ],
  }

  test.each(Object.entries(HOSTILE))("refuses hostile URLs with the reason %s", (reason, urls) => {
    for (const url of urls) expect.soft(checkUrl(url, RULES), url).toEqual({ ok: false, reason })
  })
})

describe("checkUrl with valid URLs", () => {
  test("accepts host names, international names, ports and paths and returns the canonical host", () => {
    const cases: [text: string, host: string][] = [
      ["https://example.com", "example.com"],
      ["https://example.com/", "example.com"],
      ["HTTPS://EXAMPLE.COM/Hook", "example.com"],
      ["https://example.com/webhooks/tenancy?source=a&b=%20#top", "example.com"],
      ["https://example.com?token=a@b:c", "example.com"],
      ["https://example.com/@user", "example.com"],
      ["https://example.com/#@user", "example.com"],
      ["https://example.com/größe", "example.com"],
      ["https://example.com:443/hook", "example.com"],
      ["https://example.com:0443/hook", "example.com"],
      ["https://example.com:/hook", "example.com"],
      ["https://example.com:1024/hook", "example.com"],
      ["https://example.com:8443/hook", "example.com"],
      ["https://example.com:65535/hook", "example.com"],
      ["https://example.com./hook", "example.com"],
      ["https://hooks.eu-1.example.co.uk/", "hooks.eu-1.example.co.uk"],
      ["https://a--b.example.com/", "a--b.example.com"],
      ["https://1.example.com/", "1.example.com"],
      ["https://127.0.0.1.nip.io/", "127.0.0.1.nip.io"],
      ["https://localhost.example.com/", "localhost.example.com"],
      ["https://internal.example.com/", "internal.example.com"],
      ["https://notlocal.mylocal/", "notlocal.mylocal"],
      ["https://nottenancy.example/", "nottenancy.example"],
      ["https://tenancy.example.com/", "tenancy.example.com"],
      ["https://bücher.example.com/", "xn--bcher-kva.example.com"],
      ["https://BÜCHER.example.com/", "xn--bcher-kva.example.com"],
      ["https://xn--bcher-kva.example.com/", "xn--bcher-kva.example.com"],
      ["https://例え.テスト/フック", "xn--r8jz45g.xn--zckzah"],
      ["https://ｅｘａｍｐｌｅ。ｃｏｍ/", "example.com"],
      ["https://ex%61mple.com/", "example.com"],
      [`https://${"a.".repeat(125)}com/`, `${"a.".repeat(125)}com`],
      [LONGEST_URL, "example.com"],
    ]
    for (const [text, host] of cases) {
      expect.soft(checkUrl(text, RULES), text).toEqual({ ok: true, url: new URL(text), host })
    }
  })
})

describe("checkUrl with private hosts allowed", () => {
  test("accepts private hosts where they are allowed", () => {
    const cases: [text: string, host: string][] = [
      ["https://127.0.0.1:40123/hook", "127.0.0.1"],
      ["https://2130706433:8443/", "127.0.0.1"],
      ["https://[::1]:8443/", "::1"],
      ["https://10.0.0.1/", "10.0.0.1"],
      ["https://receiver:8443/", "receiver"],
      ["https://laptop.local/", "laptop.local"],
      ["https://host.docker.internal:8443/", "host.docker.internal"],
    ]
    for (const [text, host] of cases) {
      expect.soft(checkUrl(text, DEVELOPMENT), text).toEqual({ ok: true, url: new URL(text), host })
    }
  })

  test("applies every other rule where private hosts are allowed", () => {
    const cases: [reason: UrlRefusal, text: string][] = [
      ["not_https", "http://127.0.0.1:8080/"],
      ["credentials", "https://user:secret@127.0.0.1:8443/"],
      ["port", "https://127.0.0.1:22/"],
      ["own_domain", "https://localhost:8443/"],
      ["own_domain", "https://LOCALHOST./"],
      ["own_domain", "https://shop.localhost:8787/"],
      ["malformed", "https://my_hook.example.com/"],
      ["too_long", `${LONGEST_URL}a`],
    ]
    for (const [reason, text] of cases) {
      expect.soft(checkUrl(text, DEVELOPMENT), text).toEqual({ ok: false, reason })
    }
  })

  test("accepts localhost when it is not the platform's own domain", () => {
    expect(checkUrl("https://localhost:8443/", { ...DEVELOPMENT, centralDomain: "tenancy.example" }).ok).toBe(true)
  })
})

test("recognizes the central domain in any spelling", () => {
  for (const centralDomain of ["Tenancy.Example", "tenancy.example.", "TENANCY.EXAMPLE."]) {
    const rules = { ...RULES, centralDomain }
    expect(checkUrl("https://shop.tenancy.example/", rules)).toEqual({ ok: false, reason: "own_domain" })
  }
})

describe("checkUrl with private IPv4 addresses", () => {
  test.each([
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["224.0.0.0", 3],
  ])("refuses every spelling of an address in %s/%i", async (base, prefixLength) => {
    const address = fc.integer({ min: 0, max: 2 ** (32 - prefixLength) - 1 }).map((offset) => toInteger(base) + offset)
    await fc.assert(
      fc.property(address.chain(spellings), (host) => {
        expect(checkUrl(`https://${host}/`, RULES), host).toEqual({ ok: false, reason: "private_host" })
      }),
      { numRuns: 300 },
    )
  })

  test("finds a private address among public DNS records", async () => {
    const pools = fc.shuffledSubarray(["8.8.8.8", "1.1.1.1", "93.184.216.34"])
    const address = fc.integer({ min: 0, max: 2 ** 24 - 1 }).map((offset) => dotted(toInteger("10.0.0.0") + offset))
    await fc.assert(
      fc.asyncProperty(pools, address, fc.nat(3), async (addresses, hidden, position) => {
        const dns = dnsWith({ A: addresses.toSpliced(position, 0, hidden), AAAA: ["2606:4700::1"] })
        expect(await resolveHost("hooks.example.com", dns)).toBe("unsafe")
      }),
    )
  })
})

describe("resolveHost", () => {
  test("returns `unsafe` for any private address and never `public` for an incomplete response", async () => {
    const cases: [what: string, zone: Zone, expected: string][] = [
      ["an IPv4 address", { A: ["93.184.216.34"] }, "public"],
      ["an IPv6 address", { AAAA: ["2606:4700:4700::1111"] }, "public"],
      ["several of both", { A: ["8.8.8.8", "1.1.1.1"], AAAA: ["2606:4700::1", "2a00:1450::1"] }, "public"],
      ["public through aliases", { aliases: ["cdn.example."], A: ["93.184.216.34"] }, "public"],
      ["loopback", { A: ["127.0.0.1"] }, "unsafe"],
      ["loopback in IPv6", { AAAA: ["::1"] }, "unsafe"],
      ["a metadata service", { A: ["169.254.169.254"] }, "unsafe"],
      ["one private address among several, first", { A: ["10.0.0.1", "8.8.8.8", "1.1.1.1"] }, "unsafe"],
      ["one private address among several, last", { A: ["8.8.8.8", "1.1.1.1", "192.168.0.1"] }, "unsafe"],
      ["public IPv4, private IPv6", { A: ["8.8.8.8"], AAAA: ["fd00::1"] }, "unsafe"],
      ["private IPv4, public IPv6", { A: ["10.0.0.1"], AAAA: ["2606:4700::1"] }, "unsafe"],
      ["an IPv4-mapped address", { AAAA: ["::ffff:127.0.0.1"] }, "unsafe"],
      ["a NAT64 address", { AAAA: ["64:ff9b::7f00:1"] }, "unsafe"],
      ["a 6to4 address", { AAAA: ["2002:a00:1::1"] }, "unsafe"],
      ["a Teredo address", { AAAA: ["2001:0:4136:e378:8000:63bf:3fff:fdd2"] }, "unsafe"],
      ["an alias that ends in a private address", { aliases: ["inner.example."], A: ["10.0.0.1"] }, "unsafe"],
      [
        "a chain of aliases to a private address",
        { aliases: ["a.example.", "b.example."], AAAA: ["fe80::1"] },
        "unsafe",
      ],
      ["private IPv4 while IPv6 fails", { A: ["10.0.0.1"], fails: ["AAAA"] }, "unsafe"],
      ["a record that is not an address", { A: ["localhost"] }, "unsafe"],
      ["public IPv4 while IPv6 fails", { A: ["8.8.8.8"], fails: ["AAAA"] }, "unresolved"],
      ["public IPv6 while IPv4 fails", { AAAA: ["2606:4700::1"], fails: ["A"] }, "unresolved"],
      ["both queries fail", { fails: ["A", "AAAA"] }, "unresolved"],
      ["public IPv4 while IPv6 has no response", { A: ["8.8.8.8"], silent: ["AAAA"] }, "unanswered"],
      ["private IPv4 while IPv6 has no response", { A: ["10.0.0.1"], silent: ["AAAA"] }, "unsafe"],
      ["one query fails, the other has no response", { fails: ["A"], silent: ["AAAA"] }, "unresolved"],
      ["neither query has a response", { silent: ["A", "AAAA"] }, "unanswered"],
      ["no address", {}, "unresolved"],
      ["an alias to nowhere", { aliases: ["gone.example."] }, "unresolved"],
      ["no such name", { missing: true }, "unresolved"],
    ]
    for (const [what, zone, expected] of cases) {
      expect.soft(await resolveHost("hooks.example.com", dnsWith(zone)), what).toBe(expected)
    }
  })

  test("queries A and AAAA records in parallel", async () => {
    const { promise, resolve } = Promise.withResolvers<{ status: "ok"; records: string[] }>()
    const lookup = vi.fn(() => promise)
    const result = resolveHost("hooks.example.com", { lookup })
    expect(lookup.mock.calls).toEqual([
      ["hooks.example.com", "A"],
      ["hooks.example.com", "AAAA"],
    ])
    resolve({ status: "ok", records: ["8.8.8.8"] })
    expect(await result).toBe("public")
  })

  test("checks an IP address without a DNS query", async () => {
    const cases: [host: string, expected: string][] = [
      ["93.184.216.34", "public"],
      ["2606:4700:4700::1111", "public"],
      ["127.0.0.1", "unsafe"],
      ["::1", "unsafe"],
      ["::ffff:8.8.8.8", "unsafe"],
    ]
    for (const [host, expected] of cases) {
      const lookup = vi.fn()
      expect.soft(await resolveHost(host, { lookup }), host).toBe(expected)
      expect.soft(lookup).not.toHaveBeenCalled()
    }
  })
})

interface Zone {
  aliases?: string[]
  A?: string[]
  AAAA?: string[]
  fails?: string[]
  silent?: string[]
  missing?: boolean
}

/** Creates a resolver that returns the records of `zone`, after its chain of aliases, for every name. */
function dnsWith(zone: Zone) {
  return resolver("https://resolver.example/dns-query", async (input) => {
    const type = new URL(String(input)).searchParams.get("type") === "A" ? "A" : "AAAA"
    if (zone.missing) return Response.json({ Status: 3 })
    if (zone.fails?.includes(type)) return Response.json({ Status: 2 })
    if (zone.silent?.includes(type)) throw new Error("Network connection lost.")
    const aliases = (zone.aliases ?? []).map((data) => ({ name: "alias.example.", type: 5, TTL: 60, data }))
    const addresses = (zone[type] ?? []).map((data) => ({ name: "end.example.", type: type === "A" ? 1 : 28, data }))
    return Response.json({ Status: 0, Answer: [...aliases, ...addresses] })
  })
}

/** Generates every spelling that a URL parser accepts for an IPv4 address, and IPv6 forms that contain it. */
function spellings(address: number): fc.Arbitrary<string> {
  const octets = octetsOf(address)
  const [a, b, c, d] = octets
  const [high, low] = [(address >>> 16).toString(16), (address & 0xffff).toString(16)]
  const number = (value: number) =>
    fc.constantFrom(
      `${value}`,
      `0x${value.toString(16)}`,
      `0X${value.toString(16).toUpperCase()}`,
      `0${value.toString(8)}`,
    )

  const parts = fc.oneof(
    fc.tuple(...octets.map(number)),
    fc.tuple(number(a), number(b), number(c * 256 + d)),
    fc.tuple(number(a), number((b * 256 + c) * 256 + d)),
    fc.tuple(number(address)),
  )
  const dots = fc.constantFrom(".", "。", "．", "｡", "%2e", "%2E")
  const disguise = fc.constantFrom(
    (text: string) => text,
    (text: string) => `${text}.`,
    (text: string) => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    (text: string) => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
    (text: string) => text.replace(/[0-9]$/, (digit) => `%3${digit}`),
    (text: string) => text.replace(/.$/u, "\u00ad$&"),
  )
  const ipv4 = fc
    .tuple(parts, dots, disguise)
    .map(([numbers, dot, hide]) => hide(numbers.join(".")).replaceAll(".", dot))
  const ipv6 = fc.constantFrom(
    `[::${dotted(address)}]`,
    `[::ffff:${dotted(address)}]`,
    `[0:0:0:0:0:FFFF:${high}:${low}]`,
    `[64:ff9b::${dotted(address)}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `[2001::${(~address >>> 16).toString(16).slice(-4)}:${(~address & 0xffff).toString(16)}]`,
  )
  return fc.oneof({ arbitrary: ipv4, weight: 4 }, { arbitrary: ipv6, weight: 1 })
}

function octetsOf(address: number): [number, number, number, number] {
  return [address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff]
}

function dotted(address: number): string {
  return octetsOf(address).join(".")
}

function toInteger(address: string): number {
  return address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0)
}
