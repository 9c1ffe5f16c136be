// Checks that migrations do not change after they were added: migrations/checksums.json has the hash of each file. A
// database runs a file once, so a later edit reaches only new databases, and the schemas differ from then on.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../lib/project.ts"
import { readMigrations } from "../migrations/existing.ts"

/** Where the hashes are stored. */
export const CHECKSUMS_FILE = "migrations/checksums.json"

/** Hashes by path of the file in `migrations`, such as `sites/0001_users.sql`. */
export type Checksums = Readonly<Record<string, string>>

/** The texts of all migrations, by the same paths. */
export type MigrationTexts = ReadonlyMap<string, string>

/** Something that is wrong with a migration, and what to do about it. */
interface ChecksumViolation {
  file: string
  message: string
}

const UNLESS_UNRELEASED = `If no release contains it, delete its line in ${CHECKSUMS_FILE} and run npm run docs.`

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Reads the migrations of both schemas. */
export const readMigrationTexts = (): MigrationTexts =>
  new Map(
    ["central", "sites"].flatMap((schema) =>
      readMigrations(join(root, "migrations", schema)).map(({ name, sql }) => [`${schema}/${name}`, sql] as const),
    ),
  )

/** Reads the hashes that are stored. */
export const readChecksums = (): Checksums => JSON.parse(readFileSync(join(root, CHECKSUMS_FILE), "utf8"))

/** Finds migrations that were changed, removed, or not yet added to the stored hashes. */
export function findChecksumViolations(migrations: MigrationTexts, checksums: Checksums): ChecksumViolation[] {
  const found = [...migrations].flatMap(([path, sql]) => {
    const file = `migrations/${path}`
    const known = checksums[path]
    if (known === undefined) return [{ file, message: `The file is not in ${CHECKSUMS_FILE}. Run npm run docs.` }]
    if (known === hash(sql)) return []
    const rule = "A migration that a database may have run must not change. Add a new one with npm run db:generate."
    return [{ file, message: `${rule} ${UNLESS_UNRELEASED}` }]
  })
  const removed = Object.keys(checksums).filter((path) => !migrations.has(path))
  const message = `A migration that a database may have run must not be removed. Restore it. ${UNLESS_UNRELEASED}`
  return [...found, ...removed.map((path) => ({ file: `migrations/${path}`, message }))]
}

/**
 * Adds the hashes of new migrations; never changes one.
 * @returns the new text of the file, sorted by path
 */
export function addChecksums(migrations: MigrationTexts, checksums: Checksums): string {
  const added = [...migrations].map(([path, sql]) => [path, hash(sql)] as const)
  const all = Object.entries({ ...Object.fromEntries(added), ...checksums })
  return `${JSON.stringify(Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`
}
