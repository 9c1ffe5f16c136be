// Strings of the front page.
import { createPageTranslator } from "../kit/page-strings"
import { COMMON_STRINGS } from "../kit/strings"

export const STRINGS = {
  sign_up: "Create your store",
  see_demo: "See a demo store",
  documentation: "Documentation",
  hero: "Open your online store today",
  hero_body: "Pick a name and a theme, and your store is online in minutes at its own address.",
  themes_title: "Themes",
  themes_body: "The same store in each theme. Every theme has palettes of its own.",
  theme_picture: "A store in the theme :theme",
  palettes: "Palettes: :list",
  no_plans: "No plans are available yet.",
  choose: "Choose :plan",
  questions: "Questions and answers",
  q_trial: "What happens when the free trial ends?",
  a_trial:
    "We email you before it ends. If you haven't set up a payment by then, your store closes to visitors until you do.",
  q_payment: "How do I pay?",
  a_payment_card: "By card, on your store's billing page.",
  a_payment_transfer: "By bank transfer, on your store's billing page.",
  a_payment_both: "By card or by bank transfer, on your store's billing page.",
  q_domain: "Can I use my own domain?",
  a_domain: "Yes, with these plans: :plans. Every store also has an address on our domain.",
  q_data: "What happens to my data if I stop?",
  a_data:
    "If you stop paying, your store closes to visitors, and its data is kept until you pay or cancel. If you cancel, its data is deleted after :days days; until then you can reopen the store.",
  q_api: "Is there an API?",
  a_api: "Yes, with these plans: :plans. It serves websites, mobile apps and integrations.",
  theme_atelier: "Quiet and light: paper tones, a serif typeface and space around few things.",
  theme_nocturne: "Dark and editorial: large letters, and lists ruled like a magazine.",
  theme_bazaar: "Warm and colorful: a striped awning, outlined cards and price tags.",
  theme_vitrine: "Pictures first: a wide image, and galleries next to the products.",
}

type ThemeKey = Extract<keyof typeof STRINGS, `theme_${string}`>

/** Looks up a string of the front page. */
export const t = createPageTranslator({ front: STRINGS, kit: COMMON_STRINGS })

/** The description of a theme; null for a theme without one in the reader's language. */
export const themeDescriptionKey = (slug: string): ThemeKey | null => {
  const key = `theme_${slug}`
  return Object.hasOwn(STRINGS, key) ? (key as ThemeKey) : null
}
