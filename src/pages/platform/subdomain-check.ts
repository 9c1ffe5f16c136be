// The script of the sign-up page: checks while typing whether a subdomain is available. Without it the form reports a
// taken subdomain when it is sent.
import type { Locale } from "../../core/i18n/locale"
import { t } from "./strings"

/** The script with its messages in the reader's language. It writes them into the field's hint. */
export function buildSubdomainCheck(locale: Locale): string {
  const messages = { available: t("address_available", locale), taken: t("address_taken", locale) }
  return `(() => {
  const messages = ${JSON.stringify(messages).replaceAll("<", "\\u003c")}
  const input = document.getElementById("subdomain")
  const status = document.getElementById("subdomain-hint")
  if (!input || !status) return
  status.setAttribute("aria-live", "polite")
  let timer, lastRequest = 0
  input.addEventListener("input", () => {
    clearTimeout(timer)
    input.value = input.value.toLowerCase()
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
  })
})()`
}
