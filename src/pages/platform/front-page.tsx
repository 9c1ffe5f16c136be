// The front page: what a store looks like, the plans with their prices, and answers to common questions. It promises
// only what this platform offers: methods of payment, trials and domains come from its plans and settings.
import type { Child } from "hono/jsx"
import type { Locale } from "../../core/i18n/locale"
import type { Plan } from "../../platform/plans/schemas"
import type { Offer } from "../../platform/signups/offer"
import { findAvailableTheme } from "../../platform/themes/rules"
import { type Theme, themes } from "../../themes/catalog"
import { PlanFeatures, PlanPrice } from "../kit/plan"
import { t, themeDescriptionKey } from "./front-strings"
import { getPreviewPicturePath, getThemePicturePath } from "./theme-picture"

interface Props {
  offer: Offer
  locale: Locale
  /** Whether customers can sign up by themselves. */
  canSignUp: boolean
}

export function FrontPage({ offer, locale, canSignUp }: Props) {
  return (
    <>
      <div class="shell hero split">
        <div>
          <h1>{t("hero", locale)}</h1>
          <p class="lede">{t("hero_body", locale)}</p>
          <div class="row">
            {canSignUp && (
              <a class="button" href="/signup">
                {t("sign_up", locale)}
              </a>
            )}
            {offer.demoUrl && (
              <a class="button quiet" href={offer.demoUrl}>
                {t("see_demo", locale)}
              </a>
            )}
          </div>
        </div>
        <img class="shot" src={getPreviewPicturePath()} width="600" height="450" alt="" />
      </div>
      <ThemeSection locale={locale} />
      <PlanSection offer={offer} locale={locale} canSignUp={canSignUp} />
      <QuestionSection offer={offer} locale={locale} />
    </>
  )
}

function ThemeSection({ locale }: { locale: Locale }) {
  const shown = themes.filter(({ slug }) => findAvailableTheme(slug) && getThemePicturePath(slug))
  return (
    <section class="shell" id="themes">
      <h2>{t("themes_title", locale)}</h2>
      <p class="soft">{t("themes_body", locale)}</p>
      <ul class="cards wide">
        {shown.map((theme) => (
          <li class="card" key={theme.slug}>
            <ThemePicture theme={theme} locale={locale} />
            <h3>{theme.name}</h3>
            <p class="soft">{describeTheme(theme, locale)}</p>
            <p class="small soft">
              {t("palettes", locale, { list: theme.presets.map(({ name }) => name).join(", ") })}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A picture of a store in a theme; nothing for a theme without one. */
export function ThemePicture({ theme, locale }: { theme: Pick<Theme, "slug" | "name">; locale: Locale }) {
  const path = getThemePicturePath(theme.slug)
  if (!path) return null
  const alt = t("theme_picture", locale, { theme: theme.name })
  return <img class="shot" src={path} width="600" height="450" loading="lazy" alt={alt} />
}

function describeTheme({ slug, description }: Theme, locale: Locale): string {
  const key = themeDescriptionKey(slug)
  return key ? t(key, locale) : description
}

const PlanSection = ({ offer: { plans }, locale, canSignUp }: Props) => (
  <section class="shell" id="plans">
    <h2>{t("plans", locale)}</h2>
    {plans.length === 0 && <p class="soft">{t("no_plans", locale)}</p>}
    <ul class="cards">
      {plans.map((plan) => (
        <li class="card" key={plan.slug}>
          {!isPriceName(plan, locale) && <h3>{plan.name}</h3>}
          <PlanPrice plan={plan} locale={locale} />
          <p class="soft">{plan.description}</p>
          <PlanFeatures plan={plan} locale={locale} />
          {plan.trialDays > 0 && <p class="small soft">{t("trial", locale, { days: plan.trialDays })}</p>}
          {canSignUp && (
            <a class="button quiet" href={`/signup?plan=${encodeURIComponent(plan.slug)}`}>
              {t("choose", locale, { plan: plan.name })}
            </a>
          )}
        </li>
      ))}
    </ul>
  </section>
)

/** Whether a plan is named like its price, as "Free" is. */
const isPriceName = ({ name, priceCents }: Plan, locale: Locale): boolean =>
  priceCents === 0 && name === t("free", locale)

function QuestionSection({ offer, locale }: Pick<Props, "offer" | "locale">) {
  const { plans, retentionDays } = offer
  const hasTrial = plans.some(({ trialDays, priceCents }) => trialDays > 0 && priceCents > 0)
  const withDomain = plans.filter(({ allowsCustomDomain }) => allowsCustomDomain).map(({ name }) => name)
  const withApi = plans.filter(({ allowsApiAccess }) => allowsApiAccess).map(({ name }) => name)
  const payment = describePayment(offer, locale)
  return (
    <section class="shell narrow page" id="questions">
      <h2>{t("questions", locale)}</h2>
      {hasTrial && <Question title={t("q_trial", locale)}>{t("a_trial", locale)}</Question>}
      {payment && <Question title={t("q_payment", locale)}>{payment}</Question>}
      {withDomain.length > 0 && (
        <Question title={t("q_domain", locale)}>{t("a_domain", locale, { plans: withDomain.join(", ") })}</Question>
      )}
      <Question title={t("q_data", locale)}>{t("a_data", locale, { days: retentionDays })}</Question>
      {withApi.length > 0 && (
        <Question title={t("q_api", locale)}>
          {t("a_api", locale, { plans: withApi.join(", ") })} <a href="/docs">{t("documentation", locale)}</a>
        </Question>
      )}
    </section>
  )
}

function describePayment({ payment: { card, transfer } }: Offer, locale: Locale): string | null {
  if (card && transfer) return t("a_payment_both", locale)
  if (card) return t("a_payment_card", locale)
  return transfer ? t("a_payment_transfer", locale) : null
}

const Question = ({ title, children }: { title: string; children: Child }) => (
  <details>
    <summary>{title}</summary>
    <p>{children}</p>
  </details>
)
