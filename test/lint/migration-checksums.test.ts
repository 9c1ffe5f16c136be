// A migration that a database may have run does not change: `npm run lint` compares each file with its stored hash.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { root } from "../../tools/lib/project.ts"
import {
  addChecksums,
  CHECKSUMS_FILE,
  findChecksumViolations,
  readChecksums,
  readMigrationTexts,
} from "../../tools/lint/migration-checksums.ts"

const migrations = readMigrationTexts()
const checksums = readChecksums()
const FILE = "sites/0010_trail.sql"

test("accepts the project", () => {
  expect(findChecksumViolations(migrations, checksums)).toEqual([])
})

test("lists the migrations of both schemas", () => {
  const schemas = Object.keys(checksums).map((path) => path.split("/")[0])
  expect(new Set(schemas)).toEqual(new Set(["central", "sites"]))
})

test("rejects a changed migration, also when only a comment changed", () => {
  const changed = new Map(migrations).set(FILE, `-- A comment.\n${migrations.get(FILE)}`)
  expect(findChecksumViolations(changed, checksums)).toEqual([
    {
      file: `migrations/${FILE}`,
      message: expect.stringMatching(
        /must not change\. Add a new one with npm run db:generate\. If no release .* docs\.$/,
      ),
    },
  ])
})

test("rejects a migration without a stored hash", () => {
  const added = new Map(migrations).set("sites/9999_new.sql", "CREATE TABLE a (id integer);")
  expect(findChecksumViolations(added, checksums)).toEqual([
    { file: "migrations/sites/9999_new.sql", message: expect.stringMatching(/Run npm run docs\.$/) },
  ])
})

test("rejects a removed and a renamed migration", () => {
  const renamed = new Map(migrations).set("sites/0010_renamed.sql", migrations.get(FILE) ?? "")
  renamed.delete(FILE)
  expect(findChecksumViolations(renamed, checksums).map(({ file }) => file)).toEqual([
    "migrations/sites/0010_renamed.sql",
    `migrations/${FILE}`,
  ])
})

test("npm run docs adds new migrations, sorted, and changes no stored hash", () => {
  const edited = new Map(migrations).set(FILE, "SELECT 1;").set("central/9999_new.sql", "SELECT 2;")
  const result: Record<string, string> = JSON.parse(addChecksums(edited, checksums))
  const { "central/9999_new.sql": added, ...rest } = result
  expect(added).toMatch(/^[0-9a-f]{64}$/)
  expect(rest).toEqual(checksums)
  expect(Object.keys(result)).toEqual(Object.keys(result).toSorted())
})

test("the stored file is what npm run docs writes", () => {
  expect(readFileSync(join(root, CHECKSUMS_FILE), "utf8")).toBe(addChecksums(migrations, checksums))
})
