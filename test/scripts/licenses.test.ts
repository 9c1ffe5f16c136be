// docs/reference/dependencies.md says what package-lock.json says, and the Worker is made of nothing that asks for more
// than its notice.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listDisallowedLicenses, listUnverifiedPackages, renderLicensePage } from "../../tools/lib/licenses"
import { root } from "../../tools/lib/project"

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))

/**
 * Platform builds that the registry of the lockfile does not carry, so that it has no hash of them; see
 * docs/reference/dependencies.md.
 */
const UNVERIFIED: Record<string, string[]> = {
  "@biomejs/cli-": [
    "android-arm64",
    "android-x64",
    "darwin-arm64",
    "darwin-x64",
    "linux-arm64-musl",
    "linux-x64-musl",
    "win32-arm64",
    "win32-x64",
  ],
  "@cloudflare/workerd-": ["darwin-64", "darwin-arm64", "windows-64"],
  "@oxc-parser/binding-": [
    "android-arm-eabi",
    "android-arm64",
    "darwin-arm64",
    "darwin-x64",
    "freebsd-x64",
    "linux-arm-gnueabihf",
    "linux-arm-musleabihf",
    "linux-ppc64-gnu",
    "linux-riscv64-gnu",
    "linux-riscv64-musl",
    "linux-s390x-gnu",
    "openharmony-arm64",
    "win32-arm64-msvc",
    "win32-ia32-msvc",
    "win32-x64-msvc",
  ],
}

test("every locked package has an integrity hash, except the named builds for other platforms", () => {
  const expectedNames = Object.entries(UNVERIFIED).flatMap(([name, platforms]) =>
    platforms.map((one) => `${name}${one}`),
  )
  expect(listUnverifiedPackages(lock).map((entry) => entry.replace(/@[^@]+$/, ""))).toEqual(expectedNames)
})

test("a package without an integrity hash is a pinned, optional tool for a platform that is not linux-x64-glibc", () => {
  for (const [path, entry] of Object.entries<Record<string, unknown>>(lock.packages)) {
    if (path === "" || entry.integrity) continue
    const matchesBuildMachine =
      String(entry.os) === "linux" && String(entry.cpu) === "x64" && String(entry.libc ?? "glibc") === "glibc"
    expect
      .soft([entry.optional, entry.dev, matchesBuildMachine, entry.resolved], path)
      .toEqual([true, true, false, undefined])
    expect.soft(entry.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect.soft([entry.os, entry.cpu], path).toEqual([[expect.any(String)], [expect.any(String)]])
  }
})

test("the dependencies page is up to date (npm run licenses writes it)", () => {
  expect(readFileSync(join(root, "docs/reference/dependencies.md"), "utf8")).toBe(renderLicensePage(lock))
})

test("reports a package of the Worker with another license, and ignores development tools", () => {
  expect(listDisallowedLicenses(lock)).toEqual([])
  const packages = {
    "": {},
    "node_modules/a": { license: "GPL-3.0" },
    "node_modules/b": {},
    "node_modules/c": { dev: true },
  }
  expect(listDisallowedLicenses({ packages })).toEqual(["a", "b"])
})
