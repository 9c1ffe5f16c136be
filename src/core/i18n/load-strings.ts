// Loads strings that few isolates need from assets/: those of mails and of the activity page, and the translations of
// the admin.
import type { Bindings } from "../../env"
import { isolateState } from "../../lib/isolate-state"
import { createLog, describeError } from "../log"
import { openStaticFile } from "../storage/static-files"
import type { Locale } from "./locale"
import { decodeStrings, type EncodedStrings } from "./string-templates"

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

/**
 * Returns a surface's strings in a language. A page in English is better than none, so the English strings, which are
 * in the bundle, are the fallback while the file cannot be read.
 * @param surface the file's folder in assets/strings
 */
export async function loadTranslation<Strings>(
  env: Bindings,
  surface: string,
  locale: Locale,
  english: Strings,
): Promise<Strings> {
  if (locale === "en") return english
  const file = `strings/${surface}/${locale}.json`
  const cached = loaded.current.get(file)
  if (cached) return cached as Strings
  try {
    const encoded: EncodedStrings = await (await openStaticFile(env, file)).json()
    const strings = decodeStrings(encoded)
    loaded.current.set(file, strings)
    return strings as Strings
  } catch (thrown) {
    createLog({ file }).warn("A translation could not be read", describeError(thrown))
    return english
  }
}
