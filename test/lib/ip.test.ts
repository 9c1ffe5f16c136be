// IP addresses: parsing and public ranges.
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isPublicAddress, parseAddress, parseIpv4, parseIpv6 } from "../../src/lib/ip"

describe("parseIpv4", () => {
  test("parses strict dotted IPv4 addresses into four bytes", () => {
    const cases: [text: string, bytes: number[]][] = [
      ["0.0.0.0", [0, 0, 0, 0]],
      ["1.2.3.4", [1, 2, 3, 4]],
      ["255.255.255.255", [255, 255, 255, 255]],
    ]
    for (const [text, bytes] of cases) {
      expect.soft(parseIpv4(text), text).toEqual(Uint8Array.from(bytes))
    }
  })

  test("rejects every other IPv4 notation", () => {
    const cases: string[] = [
      "",
      "1",
      "1.2.3",
      "1.2.3.4.5",
      "1.2.3.4.",
      ".1.2.3.4",
      "1..3.4",
      "1.2.3.256",
      "1.2.3.-4",
      "1.2.3.+4",
      "1.2.3. 4",
      " 1.2.3.4",
      "1.2.3.4\n",
      "01.2.3.4",
      "0x1.2.3.4",
      "1e1.2.3.4",
      "1.2.3.4/8",
      "1.2.3.4:80",
      "１.2.3.4",
      "::1.2.3.4",
      "2130706433",
    ]
    for (const text of cases) {
      expect.soft(parseIpv4(text), text).toBeNull()
    }
  })
})

describe("parseIpv6", () => {
  test("parses every RFC 4291 form into sixteen bytes", () => {
    const cases: [text: string, groups: string][] = [
      ["::", "0000:0000:0000:0000:0000:0000:0000:0000"],
      ["::1", "0000:0000:0000:0000:0000:0000:0000:0001"],
      ["1::", "0001:0000:0000:0000:0000:0000:0000:0000"],
      ["2001:DB8:0:0:8:800:200C:417A", "2001:0db8:0000:0000:0008:0800:200c:417a"],
      ["2001:db8::8:800:200c:417a", "2001:0db8:0000:0000:0008:0800:200c:417a"],
      ["1:2:3:4:5:6:7::", "0001:0002:0003:0004:0005:0006:0007:0000"],
      ["::2:3:4:5:6:7:8", "0000:0002:0003:0004:0005:0006:0007:0008"],
      ["1:2:3:4:5:6:7:8", "0001:0002:0003:0004:0005:0006:0007:0008"],
      ["::13.1.68.3", "0000:0000:0000:0000:0000:0000:0d01:4403"],
      ["::FFFF:129.144.52.38", "0000:0000:0000:0000:0000:ffff:8190:3426"],
      ["1:2:3:4:5:6:255.255.255.255", "0001:0002:0003:0004:0005:0006:ffff:ffff"],
      ["64:ff9b::192.0.2.33", "0064:ff9b:0000:0000:0000:0000:c000:0221"],
    ]
    for (const [text, groups] of cases) {
      expect.soft(parseIpv6(text), text).toEqual(parseGroups(groups))
    }
  })

  test("rejects malformed IPv6 addresses", () => {
    const cases: string[] = [
      "",
      ":",
      ":::",
      "1",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1:2:3:4:5:6:7:8::",
      "::1:2:3:4:5:6:7:8",
      "1::2::3",
      "1:::2",
      ":1::2",
      ":1:2:3:4:5:6:7:8",
      "1:2:3:4:5:6:7:8:",
      "1::2:",
      "12345::",
      "g::",
      "+1::",
      "-1::",
      "0x1::",
      " ::1",
      "::1\n",
      "[::1]",
      "::1/128",
      "fe80::1%eth0",
      "fe80::1%25eth0",
      "1.2.3.4",
      "1.2.3.4::",
      "1:2:3:4:5:6:7:1.2.3.4",
      "1:2:3:4:5:1.2.3.4",
      "::1.2.3",
      "::1.2.3.256",
      "::01.2.3.4",
      "::1.2.3.4:5",
      "::1.2.3.4.",
      "::1..2",
      "１::",
    ]
    for (const text of cases) {
      expect.soft(parseIpv6(text), text).toBeNull()
    }
  })

  test("parses every notation of an address to the same bytes", async () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.property(groups, (numbers) => {
        const full = numbers.map((group) => group.toString(16)).join(":")
        const compressed = new URL(`https://[${full}]/`).hostname.slice(1, -1)
        expect(parseAddress(full)).toEqual(Uint8Array.from(numbers.flatMap((group) => [group >> 8, group & 0xff])))
        expect(parseAddress(compressed)).toEqual(parseAddress(full))
      }),
    )
  })
})

/** The first and last address of each range, and the nearest public addresses on both sides, if any. */
const RANGES: [range: string, first: string, last: string, neighbours: string[]][] = [
  ["this network", "0.0.0.0", "0.255.255.255", ["1.0.0.0"]],
  ["private 10/8", "10.0.0.0", "10.255.255.255", ["9.255.255.255", "11.0.0.0"]],
  ["carrier-grade NAT", "100.64.0.0", "100.127.255.255", ["100.63.255.255", "100.128.0.0"]],
  ["loopback", "127.0.0.0", "127.255.255.255", ["126.255.255.255", "128.0.0.0"]],
  ["link-local", "169.254.0.0", "169.254.255.255", ["169.253.255.255", "169.255.0.0"]],
  ["private 172.16/12", "172.16.0.0", "172.31.255.255", ["172.15.255.255", "172.32.0.0"]],
  ["protocol assignments", "192.0.0.0", "192.0.0.255", ["191.255.255.255", "192.0.1.0"]],
  ["documentation 1", "192.0.2.0", "192.0.2.255", ["192.0.1.255", "192.0.3.0"]],
  ["AS112", "192.31.196.0", "192.31.196.255", ["192.31.195.255", "192.31.197.0"]],
  ["multicast tunnelling", "192.52.193.0", "192.52.193.255", ["192.52.192.255", "192.52.194.0"]],
  ["6to4 relays", "192.88.99.0", "192.88.99.255", ["192.88.98.255", "192.88.100.0"]],
  ["private 192.168/16", "192.168.0.0", "192.168.255.255", ["192.167.255.255", "192.169.0.0"]],
  ["AS112 direct", "192.175.48.0", "192.175.48.255", ["192.175.47.255", "192.175.49.0"]],
  ["benchmarking", "198.18.0.0", "198.19.255.255", ["198.17.255.255", "198.20.0.0"]],
  ["documentation 2", "198.51.100.0", "198.51.100.255", ["198.51.99.255", "198.51.101.0"]],
  ["documentation 3", "203.0.113.0", "203.0.113.255", ["203.0.112.255", "203.0.114.0"]],
  ["multicast", "224.0.0.0", "239.255.255.255", ["223.255.255.255"]],
  ["reserved, broadcast", "240.0.0.0", "255.255.255.255", []],
  ["unspecified to compatible", "::", "::255.255.255.255", []],
  ["loopback 6", "::1", "::1", []],
  ["IPv4-mapped", "::ffff:0.0.0.0", "::ffff:255.255.255.255", []],
  ["NAT64", "64:ff9b::", "64:ff9b::255.255.255.255", []],
  ["local NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", []],
  ["discard-only", "100::", "100::ffff:ffff:ffff:ffff", []],
  ["dummy", "100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", []],
  ["below global unicast", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ["2000::"]],
  ["Teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["benchmarking 6", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", []],
  ["ORCHID", "2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["ORCHIDv2", "2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["protocol assignments 6", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", ["2000:ffff::", "2001:200::"]],
  ["documentation 6", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", ["2001:db7:ffff::", "2001:db9::"]],
  ["6to4", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ["2001:ffff::", "2003::"]],
  ["AS112 direct 6", "2620:4f:8000::", "2620:4f:8000:ffff::ffff", ["2620:4f:7fff::", "2620:4f:8001::"]],
  ["new documentation", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", ["3ffe:ffff::", "3fff:1000::"]],
  ["above global unicast", "4000::", "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ["3fff:ffff:ffff::"]],
  ["the upper half", "8000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["link-local 6", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", []],
  ["multicast 6", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", []],
]

describe("isPublicAddress", () => {
  test("rejects every special-purpose and multicast range from its first to its last address", () => {
    for (const [range, first, last, neighbours] of RANGES) {
      expect.soft(isPublicAddress(first), range).toBe(false)
      expect.soft(isPublicAddress(last), range).toBe(false)
      for (const neighbour of neighbours) expect.soft(isPublicAddress(neighbour), neighbour).toBe(true)
    }
  })

  test("rejects any IPv4 address embedded in IPv6", () => {
    for (const text of ["::8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001::f7f7:f7f7"]) {
      expect(isPublicAddress(text), text).toBe(false)
    }
  })

  test("rejects text that is not an address", () => {
    for (const text of ["", "example.com", "08.8.8.8", "134744072", "[2606:4700::1111]", "8.8.8.8 "]) {
      expect(isPublicAddress(text), text).toBe(false)
    }
  })
})

test("accepts addresses of well-known servers", () => {
  for (const text of [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "2606:4700:4700::1111",
    "2A00:1450::200e",
    "2c0f:f248::1",
  ]) {
    expect.soft(isPublicAddress(text), text).toBe(true)
  }
})

function parseGroups(groups: string): Uint8Array {
  return Uint8Array.from(
    groups.split(":").flatMap((group) => [group.slice(0, 2), group.slice(2)]),
    (hex) => Number.parseInt(hex, 16),
  )
}
