import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { afterEach, expect, test } from "vitest"
import { readWranglerConfig, root } from "../../tools/lib/project"
import { ensureSecrets, generateMissingSecrets } from "../../tools/local/dev-vars"

const names = ["APP_KEY", "OPERATOR_TOKEN", "STRIPE_WEBHOOK_SECRET", "MARKETPLACE_TOKEN"]

const directories: string[] = []
const createFilePath = () => {
  const directory = mkdtempSync(join(tmpdir(), "dev-vars-"))
  directories.push(directory)
  return join(directory, ".dev.vars")
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

test("a new file contains every secret and is readable only by its owner", () => {
  const file = createFilePath()
  const secrets = ensureSecrets(file)
  expect(Object.keys(secrets).sort()).toEqual([...names].sort())
  expect(secrets).toEqual(parseEnv(readFileSync(file, "utf8")))
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test("APP_KEY is 32 bytes in base64", () => {
  const { APP_KEY } = ensureSecrets(createFilePath())
  expect(APP_KEY).toMatch(/^base64:/)
  expect(Buffer.from(APP_KEY?.slice(7) ?? "", "base64")).toHaveLength(32)
})

test("existing secrets stay, and missing ones are added on their own lines", () => {
  const file = createFilePath()
  writeFileSync(file, 'OPERATOR_TOKEN="mine"\n# a remark\nEXTRA=1')
  const secrets = ensureSecrets(file)
  expect(secrets).toMatchObject({ OPERATOR_TOKEN: "mine", EXTRA: "1" })
  expect(Object.keys(secrets)).toEqual(expect.arrayContaining(names))
})

test("a complete file stays unchanged", () => {
  expect(generateMissingSecrets(names.map((name) => `${name}=x`).join("\n"))).toBe("")
})

test("the deploy button asks for every required secret, and describes only bindings that exist", () => {
  const read = (name: string) => readFileSync(join(root, name), "utf8")
  const { secrets, vars, d1_databases } = readWranglerConfig(join(root, "wrangler.toml"))
  expect(Object.keys(parseEnv(read(".dev.vars.example")))).toEqual(secrets.required)
  const names = [...secrets.required, ...Object.keys(vars), ...d1_databases.map(({ binding }) => binding)]
  const { bindings } = JSON.parse(read("package.json")).cloudflare
  expect(Object.keys(bindings).filter((name) => !names.includes(name))).toEqual([])
  expect(Object.keys(bindings)).toEqual(expect.arrayContaining(secrets.required))
})
