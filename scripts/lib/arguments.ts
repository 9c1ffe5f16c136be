// The command line of the operator: `<command> --name=value …`.
import { UserError } from "./project.ts"

export interface CommandLine {
  /** Undefined when none was given. */
  command: string | undefined
  /** Options as the Worker gets them: text as given, `true` for a flag, an array when repeated. */
  options: Record<string, string | true | (string | true)[]>
  json: boolean
}

/**
 * Reads a command line. `--name value` and `--name=value` are the same; a name without a value is a flag.
 * @param args what was given after `npm run operator --`
 * @throws UserError for a second word that belongs to no option
 */
export function parseCommandLine(args: string[]): CommandLine {
  const line: CommandLine = { command: undefined, options: {}, json: false }
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith("--")) {
      if (line.command !== undefined)
        throw new UserError(`"${arg}" belongs to no option; options are written --name=value.`)
      line.command = arg
    } else if (arg === "--json") {
      line.json = true
    } else {
      const equals = arg.indexOf("=")
      const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals)
      const next =
        line.command !== undefined && rest[0] !== undefined && !rest[0].startsWith("--") ? rest.shift() : undefined
      add(line.options, name, equals < 0 ? (next ?? true) : arg.slice(equals + 1))
    }
  }
  return line
}

function add(options: CommandLine["options"], name: string, value: string | true): void {
  const before = options[name]
  options[name] = before === undefined ? value : [before, value].flat()
}
