// npm run lint: checks the project's own rules: what each folder may import, what code may call where, identifiers that
// must not come back, that every declaration is used, that the migrations have the triggers of the apps, and that no
// released migration changed.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../tools/lib/project.ts"
import { findUnusedDeclarations, SETTING_DOCUMENTS } from "../tools/lint/declarations.ts"
import { listFiles } from "../tools/lint/files.ts"
import { lint } from "../tools/lint/lint.ts"
import { findChecksumViolations, readChecksums, readMigrationTexts } from "../tools/lint/migration-checksums.ts"
import { checkApps } from "../tools/migrations/check.ts"

const readAll = (paths: string[]) => new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]))

const files = readAll(listFiles())
const found = [...lint(files), ...findUnusedDeclarations(new Map([...files, ...readAll(SETTING_DOCUMENTS)]))]
const otherViolations = [...(await checkApps()), ...findChecksumViolations(readMigrationTexts(), readChecksums())]
for (const { file, message } of otherViolations) console.error(`${file}: ${message}`)
for (const { file, line, rule, found: code } of found) console.error(`${file}:${line}: ${rule} (${code})`)
if (found.length + otherViolations.length) process.exitCode = 1
else console.log(`${files.size} files follow the rules.`)
