// Domains and addresses: how they are brought to one form, and which of them a license allows.
import { describe, expect, test } from "vitest"
import { domainAllowed, normaliseDomain } from "../../src/license/rules/domains"
import { ipAllowed, normaliseIp } from "../../src/license/rules/ips"

describe("normaliseDomain", () => {
  test.each([
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
  ])("%s is %s", (text, domain) => {
    expect(normaliseDomain(text)).toBe(domain)
  })

  test.each([
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
  ])("%j is none", (text) => {
    expect(normaliseDomain(text)).toBeNull()
  })

  test.each(["shop.example", "xn--bcher-kva.example", "[2001:db8::1]", "localhost"])("%s stays as it is", (domain) => {
    expect(normaliseDomain(domain)).toBe(domain)
  })
})

describe("domainAllowed", () => {
  test.each([
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
  ])("%s allows %s", (pattern, domain) => {
    expect(domainAllowed([pattern], domain)).toBe(true)
    expect(domainAllowed(["other.example", pattern], domain)).toBe(true)
  })

  test.each([
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
  ])("%s does not allow %s", (pattern, domain) => {
    expect(domainAllowed([pattern], domain)).toBe(false)
  })

  test("www. is the apex, which a wildcard does not cover", () => {
    expect(domainAllowed(["*.example.com"], normaliseDomain("www.example.com"))).toBe(false)
  })

  test("an empty list allows every domain, and an unknown one", () => {
    expect(domainAllowed([], "example.com")).toBe(true)
    expect(domainAllowed([], null)).toBe(true)
    expect(domainAllowed(["example.com"], null)).toBe(false)
  })
})

describe("normaliseIp", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    [" 203.0.113.7 ", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:0db8::0001", "2001:db8::1"],
    ["2001:db8::1:0:0:1", "2001:db8::1:0:0:1"],
    ["::", "::"],
    ["::1", "::1"],
  ])("%s is %s", (text, ip) => {
    expect(normaliseIp(text)).toBe(ip)
  })

  test.each([
    "",
    "10.0.0",
    "10.0.0.256",
    "010.0.0.1",
    "10.0.0.*",
    "10.0.0.0/8",
    "2001:db8::1::2",
    "fe80::1%eth0",
    "host",
  ])("%j is none", (text) => {
    expect(normaliseIp(text)).toBeNull()
  })
})

describe("ipAllowed", () => {
  test.each([
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
  ])("%s allows %s", (pattern, ip) => {
    expect(ipAllowed([pattern], ip)).toBe(true)
    expect(ipAllowed(["198.51.100.1", pattern], ip)).toBe(true)
  })

  test.each([
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
  ])("%s does not allow %s", (pattern, ip) => {
    expect(ipAllowed([pattern], ip)).toBe(false)
  })

  test("an empty list allows every address, and an unknown one", () => {
    expect(ipAllowed([], "203.0.113.7")).toBe(true)
    expect(ipAllowed([], null)).toBe(true)
    expect(ipAllowed(["203.0.113.7"], null)).toBe(false)
  })
})
