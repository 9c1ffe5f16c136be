// Provides the texts of the admin by language. The bundle has the English ones only: `npm run static-files` writes the
// others to assets/.
import { loadTranslation } from "../../core/i18n/load-strings"
import type { Locale } from "../../core/i18n/locale"
import type { Bindings } from "../../env"
import { EN } from "./en"
import type { AdminStrings } from "./types"

/** Returns the texts in a language, or in English while those of the language cannot be read. */
export const loadAdminStrings = (env: Bindings, locale: Locale): Promise<AdminStrings> =>
  loadTranslation(env, "admin", locale, EN)
