// Completion for the shells: a script that names the command line `tenancy` and knows its commands and options.
import { join } from "node:path"
import { root, UserError } from "../lib/project.ts"
import type { Command } from "./commands.ts"

const SHELLS = ["bash", "zsh", "fish"] as const

/**
 * The script for a shell, to be evaluated by its start-up file.
 * @throws UserError for a shell that is none of ours
 */
export function completionScript(shell: string | undefined, commands: Command[]): string {
  const known = SHELLS.find((name) => name === shell)
  if (!known)
    throw new UserError(
      `Written completion <${SHELLS.join("|")}>, such as: eval "$(npm run -s operator -- completion bash)"`,
    )
  const call = `${quote(process.execPath)} ${quote(join(root, "scripts/operator.ts"))}`
  return known === "fish" ? fish(call, commands) : `${posix(call, commands)}\n${known === "bash" ? BASH : ZSH}`
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const everywhere = ["--json", "--as=", "--profile="]

const optionsOf = ({ options }: Command): string[] => [...options.map(({ name }) => `--${name}=`), ...everywhere]

/** The function `tenancy`, and one that answers the words which may follow a command. */
const posix = (call: string, commands: Command[]): string => `tenancy() { ${call} "$@"; }
_tenancy_words() {
  case "$1" in
    "") printf '%s\\n' ${commands.map(({ name }) => quote(name)).join(" ")} ;;
${commands.map((command) => `    ${quote(command.name)}) printf '%s\\n' ${optionsOf(command).map(quote).join(" ")} ;;`).join("\n")}
  esac
}`

/** Bash breaks words at colons and equals signs, which commands and options hold: what stands before them is cut off again. */
const BASH = `_tenancy() {
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

const ZSH = `_tenancy() {
  local command=""
  (( CURRENT > 2 )) && command="$words[2]"
  compadd -S '' -- \${(f)"$(_tenancy_words "$command")"}
}
compdef _tenancy tenancy`

const fish = (call: string, commands: Command[]): string =>
  [
    `function tenancy; ${call} $argv; end`,
    "complete -c tenancy -f",
    ...commands.map(
      ({ name, summary }) => `complete -c tenancy -n __fish_use_subcommand -a ${quote(name)} -d ${quote(summary)}`,
    ),
    ...commands.flatMap(({ name, options }) =>
      options.map(
        (option) =>
          `complete -c tenancy -n ${quote(`__fish_seen_subcommand_from ${name}`)} -l ${option.name} -r -d ${quote(option.summary)}`,
      ),
    ),
  ].join("\n")
