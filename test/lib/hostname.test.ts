// Host names: normalization and validation.
import { describe, expect, test } from "vitest"
import { asciiHostname, isUnder } from "../../src/lib/hostname"

const LONGEST_LABEL = "a".repeat(63)
/** 253 characters: three labels of 63 and one of 61. */
const LONGEST_NAME = [LONGEST_LABEL, LONGEST_LABEL, LONGEST_LABEL, "b".repeat(61)].join(".")

describe("asciiHostname normalizes", () => {
  test("normalizes case, script and trailing dot to lower-case ASCII", () => {
    const cases: [text: string, name: string][] = [
      ["example.com", "example.com"],
      ["Shop.EXAMPLE.Com", "shop.example.com"],
      ["example.com.", "example.com"],
      ["localhost", "localhost"],
      ["a.b", "a.b"],
      ["3com.com", "3com.com"],
      ["a--b.example", "a--b.example"],
      ["127.0.0.1.example.com", "127.0.0.1.example.com"],
      ["1.2.3.4a", "1.2.3.4a"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["BÜCHER.example", "xn--bcher-kva.example"],
      ["xn--bcher-kva.example", "xn--bcher-kva.example"],
      ["faß.example", "xn--fa-hia.example"],
      ["例え.テスト", "xn--r8jz45g.xn--zckzah"],
      ["пример。испытание", "xn--e1afmkfd.xn--80akhbyknj4f"],
      ["ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"],
      ["ex\u00adample.com", "example.com"],
      [LONGEST_LABEL, LONGEST_LABEL],
      [LONGEST_NAME, LONGEST_NAME],
      [`${LONGEST_NAME}.`, LONGEST_NAME],
    ]
    for (const [text, name] of cases) {
      expect.soft(asciiHostname(text), text).toBe(name)
    }
  })
})

describe("asciiHostname rejects", () => {
  test("rejects ports, paths, credentials, IP addresses and malformed labels", () => {
    const cases: [name: string, text: string][] = [
      ["nothing", ""],
      ["the root", "."],
      ["an empty label", "a..b"],
      ["a leading dot", ".example.com"],
      ["two final dots", "example.com.."],
      ["a leading hyphen", "-a.example"],
      ["a final hyphen", "a-.example"],
      ["a hyphen alone", "-"],
      ["an underscore", "my_shop.example.com"],
      ["a wildcard", "*.example.com"],
      ["a label of 64", `${"a".repeat(64)}.example`],
      ["a name of 254", `${LONGEST_NAME}c`],
      ["a long international label", `${"ü".repeat(60)}.example`],
      ["a very long text", "ü".repeat(100_000)],
      ["a port", "example.com:443"],
      ["a scheme", "https://example.com"],
      ["a path", "example.com/shop"],
      ["a query", "example.com?a"],
      ["a fragment", "example.com#a"],
      ["credentials", "user@example.com"],
      ["a backslash", "example.com\\shop"],
      ["a space", "exam ple.com"],
      ["a leading space", " example.com"],
      ["a tab", "exam\tple.com"],
      ["a final newline", "example.com\n"],
      ["a null character", "example.com\0"],
      ["a no-break space", "exam\u00a0ple.com"],
      ["percent-encoding", "ex%61mple.com"],
      ["a fullwidth slash", "example.com／shop"],
      ["a fullwidth colon", "example.com：443"],
      ["a fullwidth percent sign", "ex％61mple.com"],
      ["an account-of sign", "example.℀.com"],
      ["a lone surrogate", "\ud800.example"],
      ["an IPv4 address", "93.184.216.34"],
      ["an IPv4 address with a final dot", "93.184.216.34."],
      ["a decimal address", "2130706433"],
      ["a hexadecimal address", "0x7f000001"],
      ["an octal address", "0177.0.0.1"],
      ["a short address", "127.1"],
      ["a mixed address", "0x7f.0.1"],
      ["a fullwidth address", "１２７。０。０。１"],
      ["an address past its range", "256.1.1.1"],
      ["a name that ends in a number", "example.1"],
      ["a name that ends in a hexadecimal number", "example.0x1"],
      ["an IPv6 address", "::1"],
      ["a bracketed IPv6 address", "[::1]"],
    ]
    for (const [name, text] of cases) {
      expect.soft(asciiHostname(text), name).toBeNull()
    }
  })

  test("rejects a single label when a qualified name is required", () => {
    expect(asciiHostname("intranet", { qualified: true })).toBeNull()
    expect(asciiHostname("intranet.", { qualified: true })).toBeNull()
    expect(asciiHostname("intranet.example", { qualified: true })).toBe("intranet.example")
  })
})

describe("isUnder", () => {
  test("compares whole labels, ignoring case and a trailing dot", () => {
    const cases: [host: string, parent: string, expected: boolean][] = [
      ["tenancy.example", "tenancy.example", true],
      ["shop.tenancy.example", "tenancy.example", true],
      ["a.b.tenancy.example", "tenancy.example", true],
      ["SHOP.Tenancy.Example", "tenancy.example", true],
      ["shop.tenancy.example", "Tenancy.EXAMPLE.", true],
      ["shop.tenancy.example.", "tenancy.example", true],
      ["shop.localhost", "localhost", true],
      ["nottenancy.example", "tenancy.example", false],
      ["example", "tenancy.example", false],
      ["tenancy.example.com", "tenancy.example", false],
      ["tenancyxexample", "tenancy.example", false],
    ]
    for (const [host, parent, expected] of cases) {
      expect.soft(isUnder(host, parent), `${host} under ${parent}`).toBe(expected)
    }
  })
})
