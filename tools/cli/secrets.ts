// Reads secret options from standard input or a file, so that they appear in no process list and no shell history.
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { text as readText } from "node:stream/consumers"
import { UserError } from "../lib/project.ts"
import { type CommandLine, getTextOption } from "./arguments.ts"
import { createPainter, supportsColor } from "./terminal.ts"

type Options = CommandLine["options"]

/** Appended to every secret option in the help. */
export const SECRET_HINT = "- reads standard input, @file reads a file"

/**
 * Resolves `-` and `@file` in the secret options of a command line. A secret on the command line itself is accepted,
 * with a warning on standard error.
 * @param names the secret options
 * @throws UserError for an unreadable file, two options that read standard input, or an option without exactly one
 *   value
 */
export async function readSecrets(options: Options, names: readonly string[]): Promise<Options> {
  const provided = names.flatMap((name) => {
    const value = getTextOption(options, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  if (provided.filter(([, value]) => value === "-").length > 1)
    throw new UserError("Only one option can read standard input. Use --name=@file to read a file.")
  const read: Options = { ...options }
  for (const [name, value] of provided) {
    if (value === "-") read[name] = stripTrailingNewline(await readStandardInput(name))
    else if (value.startsWith("@")) read[name] = stripTrailingNewline(readTextFile(value.slice(1)))
    else if (value !== "") warnAboutVisibleSecret(name)
  }
  return read
}

/** @throws UserError for a file that cannot be read */
export function readTextFile(name: string): string {
  try {
    return readFileSync(name, "utf8")
  } catch {
    throw new UserError(`Cannot read file ${name}.`)
  }
}

const stripTrailingNewline = (text: string): string => text.replace(/\r?\n$/, "")

function warnAboutVisibleSecret(name: string): void {
  const text = `Warning: --${name}=… is visible in the process list and the shell's history. Use --${name}=- or --${name}=@file.`
  console.error(createPainter(supportsColor(process.stderr))("yellow", text))
}

/** Reads a pipe or file completely, or one line from a terminal without echoing it. */
async function readStandardInput(name: string): Promise<string> {
  if (!process.stdin.isTTY) return readText(process.stdin)
  process.stderr.write(`${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = createInterface({ input: process.stdin, output: silent, terminal: true })
  // Without a listener, readline closes on Ctrl-C and the question never settles.
  const interrupted = new Promise<never>((_, reject) =>
    line.once("SIGINT", () => reject(new UserError("Interrupted."))),
  )
  try {
    return await Promise.race([line.question(""), interrupted])
  } finally {
    line.close()
    process.stderr.write("\n")
  }
}
