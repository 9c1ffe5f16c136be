// Adds fields and members of unions at their declarations only, all in one copy of the project, and compiles it once.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { EDIT_RULES } from "./edits.ts"
import { compile, copyProject } from "./project-copy.ts"

const edits = EDIT_RULES.flatMap((rule) => rule.edits)

const copy = copyProject()

let errors: { file: string; message: string }[] = []

beforeAll(() => {
  for (const { file, before, addition } of edits) {
    const path = join(copy, file)
    const [head, ...rest] = readFileSync(path, "utf8").split(before)
    if (rest.length !== 1) throw new Error(`${file} contains the text ${rest.length} times: ${before}`)
    writeFileSync(path, `${head}${addition}${before}${rest[0]}`)
  }
  errors = compile(copy)
}, 180_000)

afterAll(() => rmSync(copy, { recursive: true }))

test.each(edits.flatMap(({ name, incomplete }) => incomplete.map((file) => ({ name, file }))))(
  "$file does not compile until it handles $name",
  ({ name, file }) => {
    const found = errors.filter((error) => error.file === file && error.message.includes(name))
    expect(found).not.toEqual([])
  },
)
