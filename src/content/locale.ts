// Selects the language of the content API's messages and mails.
import type { Context } from "hono"
import { acceptedLocale, LOCALES, type Locale } from "../core/i18n/locale"

/** Returns the language in `X-LANGUAGE`, which mobile apps send, else the one that `Accept-Language` prefers. */
export function requestLocale(c: Context): Locale {
  const chosen = c.req.header("X-LANGUAGE")?.trim().toLowerCase().split(/[-_]/)[0]
  return LOCALES.find((locale) => locale === chosen) ?? acceptedLocale(c.req.header("Accept-Language"))
}
