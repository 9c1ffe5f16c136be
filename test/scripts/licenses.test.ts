// docs/dependencies.md says what package-lock.json says, and the Worker is made of nothing that asks for more than its notice.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { licensePage, unwelcome } from "../../scripts/lib/licenses"
import { root } from "../../scripts/lib/project"

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))

test("the page of licenses is up to date: npm run licenses", () => {
  expect(readFileSync(join(root, "docs/dependencies.md"), "utf8")).toBe(licensePage(lock))
})

test("a package of the Worker under another license is found; tools are not asked", () => {
  expect(unwelcome(lock)).toEqual([])
  const packages = {
    "": {},
    "node_modules/a": { license: "GPL-3.0" },
    "node_modules/b": {},
    "node_modules/c": { dev: true },
  }
  expect(unwelcome({ packages })).toEqual(["a", "b"])
})
