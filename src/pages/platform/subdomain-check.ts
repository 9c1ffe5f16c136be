// The one script of these pages: it asks, while an address is typed, whether it can be had. Without it the form asks when it is sent.
import type { Locale } from "../../core/i18n/locale"
import { word } from "./strings"

/** The script with its two sentences in the reader's language. */
export const checkScript = (locale: Locale): string => `(() => {
  const words = ${JSON.stringify({ free: word("is_free", locale), taken: word("is_taken", locale) }).replaceAll("<", "\\u003c")}
  const input = document.getElementById("subdomain")
  const about = document.getElementById("subdomain-about")
  if (!input || !about) return
  about.setAttribute("aria-live", "polite")
  let timer, asked = 0
  input.addEventListener("input", () => {
    clearTimeout(timer)
    input.value = input.value.toLowerCase()
    const name = input.value
    if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) return
    timer = setTimeout(async () => {
      const mine = ++asked
      const answer = await fetch("/signup/check?subdomain=" + encodeURIComponent(name)).catch(() => null)
      if (!answer || !answer.ok || mine !== asked || input.value !== name) return
      const { data } = await answer.json()
      about.textContent = data.available ? words.free : words.taken
      about.className = data.available ? "hint" : "fault"
      input.setAttribute("aria-invalid", String(!data.available))
    }, 350)
  })
})()`
