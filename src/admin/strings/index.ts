// The texts of the admin by language.
import type { Locale } from "../../core/i18n/locale"
import { EN } from "./en"
import { ES } from "./es"
import { FR } from "./fr"
import type { AdminStrings } from "./types"
import { VI } from "./vi"

export const STRINGS: Record<Locale, AdminStrings> = { en: EN, es: ES, fr: FR, vi: VI }
