// The address of a new store: how a name becomes one, and the script of the sign-up page that suggests an address from
// the name and checks while typing whether it is available. Without the script the form does both when it is sent.
import type { Locale } from "../../core/i18n/locale"
import { slugify } from "../../lib/slug"
import { t } from "./strings"

const MAX_LENGTH = 63

/** Converts what people type, such as a name with capitals and blanks, to a subdomain. The script does the same. */
export const toSubdomain = (text: string): string =>
  text
    .normalize("NFC")
    .split(".")
    .map((part) => slugify(part, MAX_LENGTH))
    .join(".")

/** The script with its messages in the reader's language. It writes them into the field's hint. */
export function buildSubdomainScript(locale: Locale): string {
  const messages = { available: t("address_available", locale), taken: t("address_taken", locale) }
  return `(() => {
  const messages = ${JSON.stringify(messages).replaceAll("<", "\\u003c")}
  const input = document.getElementById("subdomain")
  const status = document.getElementById("subdomain-hint")
  if (!input || !status) return
  status.setAttribute("aria-live", "polite")
  const name = document.getElementById("name")
  const spelled = { đ: "d", ð: "d", ø: "o", ł: "l", ß: "ss", æ: "ae", œ: "oe", þ: "th", ı: "i" }
  const toSubdomain = (text) => text.normalize("NFKD").replace(/\\p{M}+/gu, "").toLowerCase()
    .replace(/[đðøłßæœþı]/g, (letter) => spelled[letter]).replace(/['’]/g, "")
    .replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, ${MAX_LENGTH})
  let timer, lastRequest = 0, isSuggested = input.value === ""
  name?.addEventListener("input", () => {
    if (!isSuggested) return
    input.value = toSubdomain(name.value).replace(/-$/, "")
    check()
  })
  input.addEventListener("input", () => {
    isSuggested = input.value === ""
    input.value = toSubdomain(input.value)
    check()
  })
  const check = () => {
    clearTimeout(timer)
    const subdomain = input.value
    if (!/^[a-z0-9][a-z0-9-]*$/.test(subdomain)) return
    timer = setTimeout(async () => {
      const request = ++lastRequest
      const response = await fetch("/signup/check?subdomain=" + encodeURIComponent(subdomain)).catch(() => null)
      if (!response || !response.ok || request !== lastRequest || input.value !== subdomain) return
      const { data } = await response.json()
      const error = document.getElementById("subdomain-error")
      if (error) error.remove()
      status.textContent = data.available ? messages.available : messages.taken
      status.className = data.available ? "hint" : "field-error"
      input.setAttribute("aria-invalid", String(!data.available))
    }, 350)
  }
})()`
}
