// Tells which languages of the guides are installed, and prints those that are not, so that a log says what was not
// tested.
import { spawnSync } from "node:child_process"

/**
 * Whether a language is installed.
 * @param probe a command that succeeds if it is
 */
export function isInstalled(language: string, [command = "", ...args]: readonly string[]): boolean {
  const isFound = spawnSync(command, args).status === 0
  if (!isFound)
    process.stderr.write(
      `${language} or what its code needs is not installed, so the guides' code in it is not tested.\n`,
    )
  return isFound
}
