// Generates shell completion scripts, which also define the command line as the function `tenancy`.
import { join } from "node:path"
import { root, UserError } from "../lib/project.ts"
import type { Command } from "./commands.ts"

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

const GLOBAL_OPTIONS = ["--json", "--as=", "--profile="]

const listOptions = ({ options }: Command): string[] => [...options.map(({ name }) => `--${name}=`), ...GLOBAL_OPTIONS]

/** Defines `tenancy`, and a helper that prints the completions of a command. */
const buildPosixFunctions = (call: string, commands: Command[]): string => `tenancy() { ${call} "$@"; }
_tenancy_words() {
  case "$1" in
    "") printf '%s\\n' ${commands.map(({ name }) => quoteForShell(name)).join(" ")} ;;
${commands.map((command) => `    ${quoteForShell(command.name)}) printf '%s\\n' ${listOptions(command).map(quoteForShell).join(" ")} ;;`).join("\n")}
  esac
}`

/** Bash splits words at colons and equals signs, so the part before the last one is removed from each completion. */
const BASH_COMPLETION = `_tenancy() {
  local line="\${COMP_LINE:0:COMP_POINT}" words current command=""
  read -ra words <<< "$line"
  current="\${words[\${#words[@]}-1]}"
  [[ "$line" == *" " ]] && current=""
  if (( \${#words[@]} > 2 )) || [[ \${#words[@]} == 2 && -z "$current" ]]; then command="\${words[1]}"; fi
  COMPREPLY=($(compgen -W "$(_tenancy_words "$command")" -- "$current"))
  local cut="\${current%"\${current##*[:=]}"}"
  COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
  [[ "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace
}
complete -F _tenancy tenancy`

const ZSH_COMPLETION = `_tenancy() {
  local command=""
  (( CURRENT > 2 )) && command="$words[2]"
  compadd -S '' -- \${(f)"$(_tenancy_words "$command")"}
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
    ...commands.flatMap(({ name, options }) =>
      options.map(
        (option) =>
          `complete -c tenancy -n ${quoteForShell(`__fish_seen_subcommand_from ${name}`)} -l ${option.name} -r -d ${quoteForShell(option.summary)}`,
      ),
    ),
  ].join("\n")
