// Loads the strings of mails from assets/, because most isolates send no mail.
import { openStaticFile } from "../core/storage/static-files"
import type { Bindings } from "../env"
import { isolateState } from "../lib/isolate-state"
import type { MailKind, MailStrings } from "./strings"

const loaded = isolateState((): Readonly<Record<MailKind, MailStrings>> | null => null)

/**
 * Returns a mail's strings.
 * @throws Refusal `temporarily_unavailable` when they cannot be read now
 */
export async function loadMailStrings(env: Bindings, kind: MailKind): Promise<MailStrings> {
  loaded.current ??= await (await openStaticFile(env, "mail-strings.json")).json<Record<MailKind, MailStrings>>()
  return loaded.current[kind]
}
