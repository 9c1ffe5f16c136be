// Declares something in one place only, and checks that `npm run lint` finds that nothing uses it.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { root } from "../../tools/lib/project.ts"
import { findUnusedDeclarations, SETTING_DOCUMENTS } from "../../tools/lint/declarations.ts"
import { listFiles } from "../../tools/lint/files.ts"

const files = new Map(
  [...listFiles("src/"), ...SETTING_DOCUMENTS].map((path) => [path, readFileSync(join(root, path), "utf8")]),
)

const EVENT_TYPES = "src/core/write/event-types.ts"

/** Finds the violations after an addition before some text of a file. */
function addTo(file: string, before: string, addition: string): string[] {
  const text = files.get(file) ?? ""
  expect(text.split(before)).toHaveLength(2)
  const changed = new Map(files).set(file, text.replace(before, `${addition}${before}`))
  return findUnusedDeclarations(changed).map(({ rule, found }) => `${rule}: ${found}`)
}

// The first call parses every file; the rest only the changed ones.
beforeAll(() => void findUnusedDeclarations(files), 120_000)

test("accepts the project", () => {
  expect(findUnusedDeclarations(files)).toEqual([])
})

test("rejects an event type that nothing emits", () => {
  const found = addTo(EVENT_TYPES, '  "store.deleted",', '  "store.renamed",\n')
  expect(found).toEqual(["every event type is emitted: store.renamed"])
})

test("rejects an event type that code only compares with or names in a type", () => {
  const used = new Map(files).set(
    "src/platform/stores/renamed.ts",
    `// Emits "store.renamed".
export const isRename = (type: string) => type === "store.renamed"
export type Rename = "store.renamed"
export const computed = (status: string) => \`store.\${status}\`\n`,
  )
  const types = used.get(EVENT_TYPES) ?? ""
  used.set(EVENT_TYPES, types.replace('  "store.deleted",', '  "store.renamed",\n  "store.deleted",'))
  expect(findUnusedDeclarations(used).map(({ found }) => found)).toEqual(["store.renamed"])
})

test("rejects a refusal code that nothing raises", () => {
  const found = addTo("src/core/http/refusal.ts", '  | "subdomain_reserved"', '  | "never_raised"\n')
  expect(found).toEqual(["every refusal code and field rule is raised: never_raised"])
})

test("rejects a setting that nothing reads and no document names", () => {
  const found = addTo("src/env.ts", "  APP_NAME: text,", "  TENANCY_UNUSED: flag,\n")
  expect(found).toEqual([
    "every setting is read: TENANCY_UNUSED",
    "every setting is in wrangler.toml or docs/operations/deployment.md: TENANCY_UNUSED",
  ])
})
