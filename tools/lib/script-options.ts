// Parses the options of npm scripts. `--help` prints the comment at the top of the script.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

/** The value of each option: text, a number, or null for a number that is missing. */
type OptionValues<Defaults> = {
  [Name in keyof Defaults]: Defaults[Name] extends string
    ? string
    : Defaults[Name] extends number
      ? number
      : number | null
}

/**
 * Prints the usage and exits if an argument is `--help` or `-h`.
 * @param url of the script, which starts with a comment that is its usage
 */
export function exitWithHelp(url: string, args: readonly string[] = process.argv.slice(2)): void {
  if (!args.some((arg) => arg === "--help" || arg === "-h")) return
  console.log(readUsage(url))
  process.exit(0)
}

/**
 * Parses options of the form `--name=value`. Exits with 2 and the usage for an unknown option, and for text that is not
 * a number.
 * @param url of the script, which starts with a comment that is its usage
 * @param defaults the value of each option that is missing; null for an optional number
 */
export function parseScriptOptions<Defaults extends Record<string, number | string | null>>(
  url: string,
  defaults: Defaults,
  args: readonly string[] = process.argv.slice(2),
): OptionValues<Defaults> {
  exitWithHelp(url, args)
  try {
    const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: "string" as const }]))
    const { values } = parseArgs({ args: [...args], options })
    const parsed = Object.entries(defaults).map(([name, fallback]) => {
      const text = values[name]
      if (text === undefined || typeof fallback === "string") return [name, text ?? fallback]
      if (text === "" || !(Number(text) >= 0)) throw new Error(`--${name} must be a number.`)
      return [name, Number(text)]
    })
    return Object.fromEntries(parsed)
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${readUsage(url)}`)
    process.exit(2)
  }
}

/** Returns the comment at the top of a script. */
function readUsage(url: string): string {
  const lines = readFileSync(fileURLToPath(url), "utf8").split("\n")
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith("//")),
    )
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n")
}
