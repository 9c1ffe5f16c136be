// Reads secret options from standard input or a file, so that they appear in no process list and no shell history.
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { text as readText } from "node:stream/consumers"
import { UserError } from "../lib/project.ts"
import { type CommandLine, textOption } from "./arguments.ts"
import { painter, takesColour } from "./terminal.ts"

type Options = CommandLine["options"]

/** What help says of every secret option. */
export const SECRET_HINT = "- reads standard input, @file a file"

/**
 * Replaces `-` and `@file` in the secret options of a command line by what they refer to. A secret on the line itself is taken as it is, with
 * a warning on standard error.
 * @param names the options that are secret
 * @throws UserError for a file that cannot be read, for two options that ask for standard input, and for an option without one value
 */
export async function readSecrets(options: Options, names: readonly string[]): Promise<Options> {
  const given = names.flatMap((name) => {
    const value = textOption(options, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  if (given.filter(([, value]) => value === "-").length > 1)
    throw new UserError("Only one option can be read from standard input; --name=@file reads a file.")
  const read: Options = { ...options }
  for (const [name, value] of given) {
    if (value === "-") read[name] = withoutLastBreak(await readStandardInput(name))
    else if (value.startsWith("@")) read[name] = withoutLastBreak(readFile(value.slice(1)))
    else if (value !== "") warn(name)
  }
  return read
}

/** @throws UserError for a file that cannot be read */
export function readFile(name: string): string {
  try {
    return readFileSync(name, "utf8")
  } catch {
    throw new UserError(`${name} cannot be read.`)
  }
}

const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, "")

function warn(name: string): void {
  const text = `Warning: --${name}=… is visible in the process list and the shell's history. Use --${name}=- or --${name}=@file.`
  console.error(painter(takesColour(process.stderr))("yellow", text))
}

/** All of a pipe or file; of a terminal one line, which is not shown as it is typed. */
async function readStandardInput(name: string): Promise<string> {
  if (!process.stdin.isTTY) return readText(process.stdin)
  process.stderr.write(`${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const line = createInterface({ input: process.stdin, output: silent, terminal: true })
  // Without a listener readline closes on Ctrl-C and the question is never answered.
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
