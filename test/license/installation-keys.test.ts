// The normalisation and matching of domains and IP addresses.
import { describe, expect, test } from "vitest"
import { isDomainAllowed, normaliseDomain } from "../../src/license/rules/domains"
import { getInstallationKey } from "../../src/license/rules/installation-key"
import { isIpAllowed, normaliseIp } from "../../src/license/rules/ips"

const HOSTS: [string, string][] = [
  ["shop.example", "shop.example"],
  ["SHOP.Example", "shop.example"],
  ["https://shop.example", "shop.example"],
  ["HTTP://Shop.Example/", "shop.example"],
  ["//shop.example/x", "shop.example"],
  ["ftp://shop.example", "shop.example"],
  ["https:/shop.example", "shop.example"],
  ["https://www.shop.example", "shop.example"],
  ["WWW.shop.example", "shop.example"],
  ["www.www.shop.example", "www.shop.example"],
  ["www2.shop.example", "www2.shop.example"],
  ["wwwshop.example", "wwwshop.example"],
  ["shop.example:8080", "shop.example"],
  ["https://shop.example:443/admin", "shop.example"],
  ["shop.example/path?query=1#hash", "shop.example"],
  ["shop.example?query", "shop.example"],
  ["shop.example#hash", "shop.example"],
  ["shop.example\\path", "shop.example"],
  ["https://user:secret@shop.example/", "shop.example"],
  ["shop.example.", "shop.example"],
  ["https://www.shop.example.:80/", "shop.example"],
  ["  shop.example\n", "shop.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER.example", "xn--bcher-kva.example"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["https://www.пример.рф/", "xn--e1afmkfd.xn--p1ai"],
  ["ｓｈｏｐ。example", "shop.example"],
  ["localhost", "localhost"],
  ["localhost:3000", "localhost"],
  ["my_site.test", "my_site.test"],
  ["http://192.168.1.5:8000/", "192.168.1.5"],
  ["http://[2001:DB8::1]:8080/", "[2001:db8::1]"],
  [`https://shop.example/${"x".repeat(2_000)}`, "shop.example"],
]

const NO_HOSTS = [
  "",
  " ",
  "/",
  "https://",
  ".",
  "shop example",
  "shop.example:port",
  "a:b:c",
  "*.example.com",
  "<script>",
  "javascript:alert(1)",
  "%00",
  "x".repeat(300),
  "ü".repeat(5_000),
  // The URL parser converts these to IPv4 addresses.
  "7",
  "0x7f.1",
  "2130706433",
]

const CANONICAL_HOSTS = ["shop.example", "xn--bcher-kva.example", "[2001:db8::1]", "localhost"]

const DOMAINS_ALLOWED: [string, string][] = [
  ["example.com", "example.com"],
  ["WWW.Example.com", "example.com"],
  ["https://example.com:8080/shop", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["*.example.com", "a.example.com"],
  ["*.example.com", "a.b.c.example.com"],
  ["https://*.Example.com/", "a.example.com"],
  ["*.bücher.example", "shop.xn--bcher-kva.example"],
  ["*.www.example.com", "a.www.example.com"],
  ["localhost", "localhost"],
  ["192.168.1.5", "192.168.1.5"],
]

const DOMAINS_REFUSED: [string, string][] = [
  ["example.com", "a.example.com"],
  ["example.com", "badexample.com"],
  ["example.com", "example.com.evil.test"],
  ["*.example.com", "example.com"],
  ["*.example.com", "badexample.com"],
  ["*.example.com", "a.example.com.evil.test"],
  ["*.example.com", "a.example.org"],
  ["*.www.example.com", "a.example.com"],
  ["a.*.com", "a.example.com"],
  ["*", "example.com"],
  ["", "example.com"],
  ["not a domain", "example.com"],
]

const ADDRESSES: [string, string][] = [
  ["203.0.113.7", "203.0.113.7"],
  [" 203.0.113.7 ", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::FFFF:cb00:7107", "203.0.113.7"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:0db8::0001", "2001:db8::1"],
  ["2001:db8::1:0:0:1", "2001:db8::1:0:0:1"],
  ["::", "::"],
  ["::1", "::1"],
]

const NO_ADDRESSES = [
  "",
  "10.0.0",
  "10.0.0.256",
  "010.0.0.1",
  "10.0.0.*",
  "10.0.0.0/8",
  "2001:db8::1::2",
  "fe80::1%eth0",
  "host",
]

const ADDRESSES_ALLOWED: [string, string][] = [
  ["203.0.113.7/32", "203.0.113.7"],
  ["2001:db8::1/128", "2001:db8::1"],
  ["203.0.113.7", "203.0.113.7"],
  [" 203.0.113.7 ", "203.0.113.7"],
  ["203.0.113.7", "::ffff:203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8::1", "2001:0DB8:0:0:0:0:0:1"],
  ["10.0.0.*", "10.0.0.0"],
  ["10.0.0.*", "10.0.0.255"],
  ["10.0.0.*", "::ffff:10.0.0.9"],
  ["10.0.*.*", "10.0.200.1"],
  ["10.0.*", "10.0.200.1"],
  ["10.*", "10.200.0.1"],
  ["10.0.0.0/8", "10.255.255.255"],
  ["10.1.2.3/8", "10.0.0.1"],
  ["192.0.2.128/25", "192.0.2.128"],
  ["192.0.2.1/32", "192.0.2.1"],
  ["0.0.0.0/0", "203.0.113.7"],
  ["2001:db8::/32", "2001:db8:ffff::1"],
  ["2001:db8::1/128", "2001:db8::1"],
]

const ADDRESSES_REFUSED: [string, string][] = [
  // The first eight bits are the same.
  ["10.0.0.0/8", "a00::1"],
  ["a00::/8", "10.0.0.1"],
  ["203.0.113.7/33", "203.0.113.7"],
  ["203.0.113.7", "203.0.113.70"],
  ["203.0.113.7", "203.0.113.8"],
  ["2001:db8::1", "2001:db8::2"],
  ["10.0.0.*", "10.0.1.0"],
  ["10.0.0.*", "110.0.0.1"],
  ["10.0.0.*", "not an address"],
  ["10.0.*.5", "10.0.1.5"],
  ["*.0.0.1", "10.0.0.1"],
  ["*", "10.0.0.1"],
  ["10.0.0.0.*", "10.0.0.0"],
  ["10.300.*", "10.0.0.1"],
  ["10.0.0.1*", "10.0.0.12"],
  ["192.0.2.128/25", "192.0.2.127"],
  ["10.0.0.0/33", "10.0.0.0"],
  ["10.0.0.0/", "10.0.0.0"],
  ["10.0.0.0/8/8", "10.0.0.0"],
  ["10.0.0.0/-1", "10.0.0.0"],
  ["0.0.0.0/0", "2001:db8::1"],
  ["2001:db8::/129", "2001:db8::"],
  ["", "10.0.0.1"],
]

describe("normaliseDomain", () => {
  test("extracts the host from domains and URLs in any notation", () => {
    for (const [text, domain] of HOSTS) {
      expect.soft(normaliseDomain(text), text).toBe(domain)
    }
  })

  test("returns null for input without a host", () => {
    for (const text of NO_HOSTS) {
      expect.soft(normaliseDomain(text), text).toBeNull()
    }
  })

  test("normaliseDomain is idempotent", () => {
    for (const domain of CANONICAL_HOSTS) {
      expect.soft(normaliseDomain(domain), domain).toBe(domain)
    }
  })
})

describe("isDomainAllowed", () => {
  test("allows domains that match a pattern", () => {
    for (const [pattern, domain] of DOMAINS_ALLOWED) {
      expect.soft(isDomainAllowed([pattern], domain), `${pattern} allows ${domain}`).toBe(true)
      expect.soft(isDomainAllowed(["other.example", pattern], domain), `${pattern} allows ${domain}`).toBe(true)
    }
  })

  test("rejects domains that match no pattern", () => {
    for (const [pattern, domain] of DOMAINS_REFUSED) {
      expect.soft(isDomainAllowed([pattern], domain), `${pattern} forbids ${domain}`).toBe(false)
    }
  })

  test("treats www. as the apex, which a wildcard does not match", () => {
    expect(isDomainAllowed(["*.example.com"], normaliseDomain("www.example.com"))).toBe(false)
  })

  test("allows every domain, and clients without one, for an empty list", () => {
    expect(isDomainAllowed([], "example.com")).toBe(true)
    expect(isDomainAllowed([], null)).toBe(true)
    expect(isDomainAllowed(["example.com"], null)).toBe(false)
  })
})

describe("normaliseIp", () => {
  test("normalises every notation of an address", () => {
    for (const [text, ip] of ADDRESSES) {
      expect.soft(normaliseIp(text), text).toBe(ip)
    }
  })

  test("returns null for text that is not an address", () => {
    for (const text of NO_ADDRESSES) {
      expect.soft(normaliseIp(text), text).toBeNull()
    }
  })
})

describe("isIpAllowed", () => {
  test("allows addresses that match a pattern", () => {
    for (const [pattern, ip] of ADDRESSES_ALLOWED) {
      expect.soft(isIpAllowed([pattern], ip), `${pattern} allows ${ip}`).toBe(true)
      expect.soft(isIpAllowed(["198.51.100.1", pattern], ip), `${pattern} allows ${ip}`).toBe(true)
    }
  })

  test("rejects addresses that match no pattern", () => {
    for (const [pattern, ip] of ADDRESSES_REFUSED) {
      expect.soft(isIpAllowed([pattern], ip), `${pattern} forbids ${ip}`).toBe(false)
    }
  })

  test("allows every address, and clients without one, for an empty list", () => {
    expect(isIpAllowed([], "203.0.113.7")).toBe(true)
    expect(isIpAllowed([], null)).toBe(true)
    expect(isIpAllowed(["203.0.113.7"], null)).toBe(false)
  })
})

test.each<[ips: string[], domain: string | null, ip: string | null, key: string]>([
  [[], "shop.example", "203.0.113.7", "shop.example"],
  [["203.0.113.*"], "shop.example", "203.0.113.7", "shop.example|203.0.113.7"],
  [["203.0.113.*"], "shop.example", null, "shop.example|unknown"],
  [[], null, "203.0.113.7", "ip:203.0.113.7"],
  [["203.0.113.*"], null, null, "ip:unknown"],
])("identifies an installation of a license for the addresses %j at %s from %s as %s", (ips, domain, ip, key) => {
  expect(getInstallationKey({ ips }, { domain, ip })).toBe(key)
})
