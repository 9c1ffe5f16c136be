// Generates shell completion scripts, which also define the command line as the function `tenancy`.
import { join } from "node:path"
import { root, UserError } from "../lib/project.ts"
import type { Command } from "./commands.ts"
import { listArguments } from "./usage.ts"

const SHELLS = ["bash", "zsh", "fish"] as const

/**
 * Generates the script for a shell, to be evaluated in its startup file.
 * @throws UserError for an unsupported shell
 */
export function buildCompletionScript(shell: string | undefined, commands: Command[]): string {
  const supportedShell = SHELLS.find((name) => name === shell)
  if (!supportedShell)
    throw new UserError(
      `Usage: completion <${SHELLS.join("|")}>, for example: eval "$(npm run -s operator -- completion bash)"`,
    )
  const call = `${quoteForShell(process.execPath)} ${quoteForShell(join(root, "scripts/operator.ts"))}`
  return supportedShell === "fish"
    ? buildFishScript(call, commands)
    : `${buildPosixFunctions(call, commands)}\n${supportedShell === "bash" ? BASH_COMPLETION : ZSH_COMPLETION}`
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Options of operator commands that take lists of event types and wildcards. */
const EVENT_OPTIONS: Record<string, string> = { "events:list": "types", "webhooks:recover": "events" }

/** Adds the event types to the options of operator commands: their schemas accept patterns, and list no values. */
export const addEventTypes = (commands: Command[], eventTypes: string[]): Command[] =>
  commands.map((command) => ({
    ...command,
    options: command.options.map((option) =>
      EVENT_OPTIONS[command.name] === option.name ? { ...option, values: eventTypes } : option,
    ),
  }))

const GLOBAL_OPTIONS = ["--json", "--help", "--as=", "--profile="]

/** Lists what may follow a command: its options, and the values of its argument. */
function listWords(command: Command): string[] {
  const names = listArguments(command)
  const values = command.options.filter(({ name }) => names.includes(name)).flatMap((option) => option.values ?? [])
  return [...values, ...command.options.map(({ name, flag }) => (flag ? `--${name}` : `--${name}=`)), ...GLOBAL_OPTIONS]
}

/** Lists the options of a command with each of their values: `--status=ready`. */
const listAssignments = ({ options }: Command): string[] =>
  options.flatMap(({ name, values = [] }) => values.map((value) => `--${name}=${value}`))

/** Defines `tenancy`, and a helper that prints the completions of the current word of a command. */
const buildPosixFunctions = (call: string, commands: Command[]): string => `tenancy() { ${call} "$@"; }
_tenancy_words() {
  case "$1" in
    "") printf '%s\\n' ${commands.map(({ name }) => quoteForShell(name)).join(" ")} ;;
    *) case "$2" in
      *=*) _tenancy_assignments "$1" ;;
      *) _tenancy_options "$1" ;;
    esac ;;
  esac
}
${buildCases("_tenancy_options", commands, listWords)}
${buildCases("_tenancy_assignments", commands, listAssignments)}`

/** Defines a function that prints the words of the command in its first argument. */
const buildCases = (name: string, commands: Command[], list: (command: Command) => string[]): string => {
  const cases = commands.flatMap((command) => {
    const words = list(command).map(quoteForShell)
    return words.length ? [`    ${quoteForShell(command.name)}) printf '%s\\n' ${words.join(" ")} ;;`] : []
  })
  return [`${name}() {`, '  case "$1" in', ...cases, "  esac", "}"].join("\n")
}

/** Bash splits words at colons and equals signs, so the part before the last one is removed from each completion. */
const BASH_COMPLETION = `_tenancy() {
  local line="\${COMP_LINE:0:COMP_POINT}" words current command=""
  read -ra words <<< "$line"
  current="\${words[\${#words[@]}-1]}"
  [[ "$line" == *" " ]] && current=""
  if (( \${#words[@]} > 2 )) || [[ \${#words[@]} == 2 && -z "$current" ]]; then command="\${words[1]}"; fi
  local IFS=$'\\n'
  COMPREPLY=($(set -f; compgen -W "$(_tenancy_words "$command" "$current")" -- "$current"))
  local cut="\${current%"\${current##*[:=]}"}"
  COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
  [[ "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace
}
complete -F _tenancy tenancy`

const ZSH_COMPLETION = `_tenancy() {
  local command=""
  (( CURRENT > 2 )) && command="$words[2]"
  compadd -S '' -- \${(f)"$(_tenancy_words "$command" "$words[CURRENT]")"}
}
compdef _tenancy tenancy`

const buildFishScript = (call: string, commands: Command[]): string =>
  [
    `function tenancy; ${call} $argv; end`,
    "complete -c tenancy -f",
    ...commands.map(
      ({ name, summary }) =>
        `complete -c tenancy -n __fish_use_subcommand -a ${quoteForShell(name)} -d ${quoteForShell(summary)}`,
    ),
    ...commands.flatMap((command) => {
      const names = listArguments(command)
      const condition = `-n ${quoteForShell(`__fish_seen_subcommand_from ${command.name}`)}`
      return command.options.map(({ name, summary, values, flag }) => {
        const allowed = values ? ` -a ${quoteForShell(values.join(" "))}` : ""
        if (names.includes(name)) return values ? `complete -c tenancy ${condition}${allowed}` : ""
        return `complete -c tenancy ${condition} -l ${name}${flag ? "" : ` -r${allowed}`} -d ${quoteForShell(summary)}`
      })
    }),
  ]
    .filter(Boolean)
    .join("\n")
