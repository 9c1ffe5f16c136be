// npm run common-passwords: writes the list of common passwords that the platform refuses, as sorted 32-bit
// hashes, little-endian, from the word list of zxcvbn-ts, which is ordered by frequency.
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { hashPasswordName } from "../src/core/auth/hash-password-name.ts"
import { root } from "../tools/lib/project.ts"

const MAX_PASSWORDS = 10_000
/** Shorter ones are refused for their length. */
const MIN_LENGTH = 8

const list = createRequire(import.meta.url).resolve("@zxcvbn-ts/language-common")
const passwords: string[] = JSON.parse(readFileSync(join(list, "../../src/passwords.json"), "utf8"))
const hashes = passwords
  .filter((password) => password.length >= MIN_LENGTH)
  .slice(0, MAX_PASSWORDS)
  .map(hashPasswordName)
const bytes = Buffer.from(Uint32Array.from(new Set(hashes)).sort().buffer)
writeFileSync(join(root, "assets/common-passwords.bin"), bytes)
console.log(`Wrote ${hashes.length} passwords, ${bytes.length} bytes.`)
