// Loads the strings of mails from assets/, because most isolates send no mail.
import type { Bindings } from "../../env"
import { isolateState } from "../../lib/isolate-state"
import { openStaticFile } from "../storage/static-files"

const loaded = isolateState(() => new Map<string, unknown>())

/**
 * Returns the strings of a file that `npm run static-files` writes.
 * @throws Refusal `temporarily_unavailable` when they cannot be read now
 */
export async function loadStrings<Strings>(env: Bindings, file: string): Promise<Strings> {
  const strings = (loaded.current.get(file) ?? (await (await openStaticFile(env, file)).json())) as Strings
  loaded.current.set(file, strings)
  return strings
}
