// Renders the help: all commands, the commands of a group, or one command with its options.
import type { Command, CommandOption } from "./commands.ts"
import { EXIT_CODES } from "./exit.ts"
import { SECRET_HINT } from "./secrets.ts"
import { alignColumns } from "./table.ts"
import { createPainter } from "./terminal.ts"
import { formatUsage, listArguments } from "./usage.ts"

interface Format {
  /** Columns of the terminal; unlimited by default. */
  width?: number
  hasColor: boolean
}

const GLOBAL_OPTIONS = [
  ["--json", "print JSON, also for errors"],
  ["--help, -h", "show the help of a command or a group"],
  ["--version", "print the version"],
  ["--profile=", "use this saved platform; also set by TENANCY_PROFILE or TENANCY_URL"],
  ["--as=", "run an operator command on behalf of this operator (email), recorded in the audit log"],
]

/** Commands under a title. */
export interface Section {
  title: string
  commands: Command[]
  /** Shown instead of commands that are not known. */
  note?: string
}

/** Renders the overview: usage, the summaries of all commands, the global options and the exit codes. */
export function renderOverview(sections: Section[], { width, hasColor }: Format): string {
  const paint = createPainter(hasColor)
  const nameWidth = Math.max(...sections.flatMap(({ commands }) => commands.map(({ name }) => name.length)))
  const parts = sections
    .filter(({ commands, note }) => commands.length || note)
    .flatMap(({ title, commands, note }) => [
      paint("bold", title),
      note ??
        alignColumns(
          commands.map(({ name, summary }) => [name.padEnd(nameWidth), summary]),
          width,
        ),
    ])
  return [
    "Usage: npm run operator -- <command> [argument …] [--name=value …]",
    ...parts,
    paint("bold", "Global options"),
    alignColumns(GLOBAL_OPTIONS, width),
    paint("bold", "Exit codes"),
    alignColumns(Object.entries(EXIT_CODES), width),
    "Run help <command> to see its options, such as help stores:create.",
  ].join("\n\n")
}

/** Renders the commands of a group. */
export const renderGroup = (commands: Command[], { width }: Format): string =>
  alignColumns(
    commands.map(({ name, summary }) => [name, summary]),
    width,
  )

/** Renders a command: usage, description, options and allowed values. */
export function renderCommand(command: Command, { width, hasColor }: Format): string {
  const paint = createPainter(hasColor)
  const names = listArguments(command)
  const rows = command.options.map((option) => [formatName(option, names), describeOption(option)])
  return [
    `${command.summary}\n${formatUsage(command)}`,
    ...(command.description ? [command.description] : []),
    ...(rows.length ? [paint("bold", "Options"), alignColumns(rows, width)] : []),
    ...command.options.flatMap(({ name, values = [] }) =>
      values.length > MAX_INLINE_VALUES ? [paint("bold", `Values of ${name}`), values.join("\n")] : [],
    ),
    paint("dim", "--json prints JSON. Run help to see the other global options."),
  ].join("\n\n")
}

/** More values are listed below the options. */
const MAX_INLINE_VALUES = 8

const formatName = ({ name, flag }: CommandOption, positional: string[]): string => {
  if (positional.includes(name)) return `<${name}>`
  return flag ? `--${name}` : `--${name}=`
}

function describeOption({ summary, required, secret, values = [] }: CommandOption): string {
  const inlineValues = values.length && values.length <= MAX_INLINE_VALUES ? values.join(", ") : ""
  const text = [summary.replace(/\.$/, ""), inlineValues, secret && SECRET_HINT].filter(Boolean).join("; ")
  return text + (required ? "" : " (optional)")
}
