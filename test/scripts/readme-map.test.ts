// The README's map of the project is the tree as it is.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { root } from "../../tools/lib/project"

/** Lists the names in the map, with `src/` before nested ones; directories end in a slash. */
function listMappedNames(): string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  const [, map = ""] = /## Folders\s+```\n([\s\S]*?)```/.exec(readme) ?? []
  const names = map.split("\n").flatMap((line) => {
    const [, indent, name] = /^( *)(\S+)(?: {2,}| ?$)/.exec(line) ?? []
    return name && indent !== undefined && indent.length <= 2 ? [indent ? `src/${name}` : name] : []
  })
  expect(names.length).toBeGreaterThan(15)
  return names
}

/** The directories of the root, and all that stands directly in src/, less what .gitignore names. */
function listTreeNames(): string[] {
  const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n")
  const inside = (directory: string) =>
    readdirSync(join(root, directory), { withFileTypes: true })
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((name) => name !== ".git/" && !ignored.includes(name) && !name.endsWith(".d.ts"))
  const tops = inside(".").filter((name) => name.endsWith("/"))
  return [...tops, ...inside("src").map((name) => `src/${name}`)]
}

test("the README's map names every directory, and everything in src/", () => {
  expect(listTreeNames().filter((name) => !listMappedNames().includes(name))).toEqual([])
})

test("the README's map names only existing paths", () => {
  const existing = [...listTreeNames(), "wrangler.toml"]
  expect(listMappedNames().filter((name) => !existing.includes(name))).toEqual([])
})
