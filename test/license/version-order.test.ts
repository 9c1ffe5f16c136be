// The order of versions. The tables were verified with PHP's `version_compare`.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compareVersions, newestVersion, nextVersion, versionSortKey } from "../../src/license/rules/version-order"

const ASCENDING: [lower: string, higher: string][] = [
  ["1.0.0", "1.0.1"],
  ["1.0.9", "1.0.10"],
  ["1.9.0", "1.10.0"],
  ["9.0.0", "10.0.0"],
  ["1.0.0", "1.1.0"],
  ["1.2.3", "2.0.0"],
  ["0.9.9", "1.0.0"],
  ["5.2", "5.10"],
  ["1", "2"],
  ["1", "1.0"],
  ["1.0", "1.0.0"],
  ["1.0.0", "1.0.0.0"],
  ["1.0", "1.0.1"],
  ["2.0.0", "2024.1"],
  ["20240101.1", "20240101.2"],
  ["1.20240101235959", "1.20240101235960"],
  ["1.9007199254740992", "1.9007199254740993"],
  ["1.0.0-dev", "1.0.0-alpha"],
  ["1.0.0-alpha", "1.0.0-beta"],
  ["1.0.0-beta", "1.0.0-RC"],
  ["1.0.0-beta", "1.0.0-rc"],
  ["1.0.0-RC", "1.0.0"],
  ["1.0.0-beta", "1.0.0"],
  ["1.0.0-alpha", "1.0.0"],
  ["1.0.0-dev", "1.0.0"],
  ["1.0.0", "1.0.0-pl"],
  ["1.0.0", "1.0.0-p1"],
  ["1.0.0-pl1", "1.0.0-pl2"],
  ["1.0.0-pl1", "1.0.1"],
  ["1.0.0-beta", "1.0.1"],
  ["1.0.0-beta1", "1.0.0-beta2"],
  ["1.0.0-beta2", "1.0.0-beta10"],
  ["1.0.0-beta.2", "1.0.0-beta.10"],
  ["1.0.0-beta", "1.0.0-beta1"],
  ["1.0.0-alpha2", "1.0.0-beta1"],
  ["1.0.0-rc1", "1.0.0-rc2"],
  ["1.0.0-rc9", "1.0.0"],
  ["1.0.0a1", "1.0.0b1"],
  ["1.0rc1", "1.0"],
  ["1.0a", "1.0"],
  ["1.0", "1.0p"],
  ["4.3.2RC1", "4.3.2"],
  ["5.0.0-dev", "5.0.0-alpha1"],
  ["1.0.0-nightly", "1.0.0-dev"],
  ["1.0.0-nightly", "1.0.0"],
  ["1.0.0-Beta", "1.0.0-alpha"],
  ["1.0.0-BETA", "1.0.0-beta"],
  ["1.0.0-Rc1", "1.0.0-dev"],
  ["1.0.0-release", "1.0.0"],
  ["1.0.0-final", "1.0.0-alpha"],
  ["1.0.0", "1.0.0-preview"],
  ["1.0.0-alpha", "1.0.0-1"],
  ["1.0.0", "1.0.0-1"],
  ["1.0-dev", "1.0.0"],
  ["1.0-beta", "1.0.0"],
  ["1.0.0", "1.0-pl"],
  ["1.0.0+build1", "1.0.0"],
  ["1.0.0_1", "1.0.0_2"],
  ["", "1.0.0"],
  ["", "dev"],
]

const EQUAL: [string, string][] = [
  ["1.0.0", "1.0.0"],
  ["1.0.0-alpha", "1.0.0-a"],
  ["1.0.0-beta", "1.0.0-b"],
  ["1.0.0-RC1", "1.0.0-rc1"],
  ["1.0.0-pl1", "1.0.0-p1"],
  ["1.0.0-beta1", "1.0.0beta1"],
  ["1.0.0-beta1", "1.0.0.beta.1"],
  ["1.0.0_beta+1", "1.0.0-beta-1"],
  ["1.0.01", "1.0.1"],
  ["1.0.00", "1.0.0"],
  ["1.0.0-preview", "1.0.0-patch"],
  ["1.0.0-foo", "1.0.0-quux"],
  ["", ""],
]

const WITH_PREFIX: [string, string][] = [
  ["v1.0.0", "1.0.0"],
  ["V2.1", "2.1"],
  [" v1.0.0-beta ", "1.0.0-beta"],
]

describe("compareVersions", () => {
  test("orders a lower version before a higher one", () => {
    for (const [lower, higher] of ASCENDING) {
      expect.soft(compareVersions(lower, higher), `${lower} < ${higher}`).toBeLessThan(0)
      expect.soft(compareVersions(higher, lower), `${higher} > ${lower}`).toBeGreaterThan(0)
    }
  })

  test("treats different spellings of a version as equal", () => {
    for (const [a, b] of [...EQUAL, ...WITH_PREFIX]) {
      expect.soft(compareVersions(a, b), `${a} = ${b}`).toBe(0)
      expect.soft(compareVersions(b, a), `${b} = ${a}`).toBe(0)
    }
  })

  test("ignores a leading v", () => {
    expect(compareVersions("v1.0.9", "1.0.10")).toBeLessThan(0)
    expect(compareVersions("1.0.9", "v1.0.10")).toBeLessThan(0)
  })

  test("sorts any list of versions", () => {
    const sorted = ["", "dev", "1.0.0-nightly", "1.0.0-dev", "1.0.0-a1", "1.0.0-b2", "1.0.0-RC3", "1.0.0", "1.0.0-pl1"]
    expect(sorted.toReversed().sort(compareVersions)).toEqual(sorted)
  })
})

describe("versionSortKey", () => {
  const sign = (a: string, b: string) => Number(a > b) - Number(a < b)

  test("orders sort keys like their versions", () => {
    for (const [a, b] of [...ASCENDING, ...EQUAL, ...WITH_PREFIX]) {
      expect.soft(sign(versionSortKey(a), versionSortKey(b)), `${a} and ${b}`).toBe(Math.sign(compareVersions(a, b)))
    }
  })

  test("orders the sort keys of any two strings like compareVersions", () => {
    const part = fc.constantFrom(
      "0",
      "1",
      "01",
      "9",
      "10",
      "999",
      "dev",
      "a",
      "alpha",
      "b",
      "RC",
      "rc1",
      "p",
      "pl",
      "x",
      "foo",
    )
    const version = fc
      .array(fc.tuple(fc.constantFrom(".", "-", "", "_"), part), { maxLength: 5 })
      .map((parts) => parts.flat().join(""))
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(sign(versionSortKey(a), versionSortKey(b))).toBe(Math.sign(compareVersions(a, b)))
      }),
      { numRuns: 3_000 },
    )
  })
})

describe("choosing a version", () => {
  const versions = ["1.10.0", "v1.2.0", "2.0.0-beta", "1.9.0"].map((version) => ({ version }))

  test("returns the highest version, not the last one", () => {
    expect(newestVersion(versions)).toEqual({ version: "2.0.0-beta" })
    expect(newestVersion([])).toBeNull()
  })

  test.each([
    ["1.0.0", "v1.2.0"],
    ["1.2.0", "1.9.0"],
    ["v1.9.0", "1.10.0"],
    ["1.10.0", "2.0.0-beta"],
    ["", "v1.2.0"],
  ])("returns the next version above %s: %s", (current, next) => {
    expect(nextVersion(versions, current)).toEqual({ version: next })
  })

  test.each(["2.0.0-beta", "2.0.0", "3.0"])("returns null when no version is above %s", (current) => {
    expect(nextVersion(versions, current)).toBeNull()
  })
})
