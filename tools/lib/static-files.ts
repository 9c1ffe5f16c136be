// Generates files of assets/ from other sources: the OpenAPI documents, the guides, the strings of mails and of the
// activity page, and the translations of the admin and of pages. Git ignores them.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ACTIVITY } from "../../src/admin/strings/activity.ts"
import { ES } from "../../src/admin/strings/es.ts"
import { FR } from "../../src/admin/strings/fr.ts"
import { VI } from "../../src/admin/strings/vi.ts"
import { ACCOUNT_MAILS } from "../../src/content/mails/account-strings.ts"
import type { Locale } from "../../src/core/i18n/locale.ts"
import { encodeStrings } from "../../src/core/i18n/string-templates.ts"
import { convertToOpenApi30 } from "../../src/docs/openapi-3-0.ts"
import { buildPostmanCollection } from "../../src/docs/postman.ts"
import { MAILS } from "../../src/mails/strings.ts"
import { TRANSLATIONS as ACCOUNT } from "../../src/pages/account/translations.ts"
import { TRANSLATIONS as BILLING } from "../../src/pages/billing/translations.ts"
import { TRANSLATIONS as KIT } from "../../src/pages/kit/translations.ts"
import { TRANSLATIONS as FRONT } from "../../src/pages/platform/front-translations.ts"
import { TRANSLATIONS as STATUS } from "../../src/pages/platform/status-translations.ts"
import { TRANSLATIONS as PLATFORM } from "../../src/pages/platform/translations.ts"
import { root } from "./project.ts"

/**
 * Writes the files. Wrangler runs this before every build (`[build]` in wrangler.toml), and vitest before its tests.
 */
export function writeStaticFiles(): void {
  for (const name of ["platform", "content", "license"] as const) {
    const text = readText(`openapi/${name}.json`)
    writeFile(`openapi/${name}.json`, text)
    writeFile(`openapi/${name}.3.0.json`, convertToOpenApi30(text))
    writeFile(`openapi/${name}.postman.json`, buildPostmanCollection(name, text))
  }
  const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md") && name !== "README.md")
  const texts = guides.map((name) => [name.slice(0, -".md".length), readText(`docs/guides/${name}`)])
  writeFile("mail-strings.json", JSON.stringify(MAILS))
  writeFile("account-mail-strings.json", JSON.stringify(ACCOUNT_MAILS))
  writeFile("activity-strings.json", JSON.stringify(ACTIVITY))
  writeTranslations("admin", { es: ES, fr: FR, vi: VI })
  const sets = { kit: KIT, account: ACCOUNT, billing: BILLING, platform: PLATFORM, front: FRONT, status: STATUS }
  const listSets = (locale: keyof typeof KIT) =>
    Object.fromEntries(Object.entries(sets).map(([set, translations]) => [set, translations[locale]]))
  writeTranslations("pages", { es: listSets("es"), fr: listSets("fr"), vi: listSets("vi") })
  writeFile("guides.json", JSON.stringify(Object.fromEntries(texts)))
}

/** Writes the files of a surface, one for each language but English. */
function writeTranslations(surface: string, translations: Record<Exclude<Locale, "en">, object>): void {
  for (const [locale, strings] of Object.entries(translations))
    writeFile(`strings/${surface}/${locale}.json`, JSON.stringify(encodeStrings(strings)))
}

const readText = (path: string): string => readFileSync(join(root, path), "utf8")

/** Replaces a file at once, and only if it differs: other processes may read it, or watch it. */
function writeFile(name: string, text: string): void {
  const path = join(root, "assets", name)
  try {
    if (readFileSync(path, "utf8") === text) return
  } catch {
    mkdirSync(dirname(path), { recursive: true })
  }
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}
