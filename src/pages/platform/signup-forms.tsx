// The forms to sign up, to confirm a sign-up, and to find one's stores.
import { getHiddenName } from "../../core/auth/hidden-password"
import { isFirstInvalid } from "../../core/html/field-messages"
import { MIN_PASSWORD_LENGTH } from "../../core/http/validation"
import { insertLabel } from "../../core/i18n/field-messages"
import type { Locale } from "../../core/i18n/locale"
import { money } from "../../lib/intl"
import type { Plan } from "../../platform/plans/schemas"
import type { ReservationDetail } from "../../platform/signups/service"
import { findAvailableTheme, isThemeAllowed } from "../../platform/themes/rules"
import { type Theme, themes } from "../../themes/catalog"
import { Field, Form, type FormState, LanguageSelect } from "../kit/form"
import { Column, DescriptionList } from "../kit/page"
import { ThemePicture } from "./front-page"
import { t } from "./strings"

/** The hidden field of a refused form's password. */
export const HIDDEN_PASSWORD = getHiddenName("password")

interface SignUpProps {
  locale: Locale
  plans: Plan[]
  /** The domain below which stores get their address, such as `.shops.example`. */
  domainSuffix: string
  /** Whether a link is mailed first, on whose page the password is chosen. */
  verifiesEmail: boolean
  form: FormState
  error?: string
  /** The encrypted password of a refused form. */
  hiddenPassword?: string
}

export function SignUpForm({ locale, plans, domainSuffix, verifiesEmail, form, error, hiddenPassword }: SignUpProps) {
  const field = { locale, form }
  return (
    <Column
      title={t("signup_title", locale)}
      lead={t(verifiesEmail ? "signup_body" : "signup_body_unverified", locale)}
    >
      <Form action="/signup" submitLabel={t("sign_up", locale)} error={error}>
        <Field {...field} name="name" label={t("store_name", locale)} maxlength={120} autocomplete="organization" />
        <Field
          {...field}
          name="subdomain"
          label={t("address", locale)}
          hint={t("address_hint", locale)}
          suffix={domainSuffix}
          maxlength={63}
          autocomplete="off"
        />
        <div class="two">
          <Field {...field} name="email" label={t("email", locale)} type="email" maxlength={190} autocomplete="email" />
          {!verifiesEmail && <NewPasswordField {...field} hiddenPassword={hiddenPassword} />}
        </div>
        {plans.length > 0 && <PlanChoice {...field} plans={plans} />}
        <ThemeChoice {...field} plans={plans} />
        <LanguageSelect {...field} />
        <Field {...field} name="coupon" label={t("coupon", locale)} isOptional maxlength={64} autocomplete="off" />
        <div class="honeypot" aria-hidden="true">
          {/* // lint: people do not see it */}
          <label for="website">Website</label>
          <input id="website" name="website" tabindex={-1} autocomplete="off" />
        </div>
      </Form>
    </Column>
  )
}

type ChoiceProps = Pick<SignUpProps, "locale" | "form" | "plans">

function PlanChoice({ locale, form, plans }: ChoiceProps) {
  const selected = form.values.plan || plans[0]?.slug
  const [error] = form.errors.plan ?? []
  return (
    <fieldset aria-describedby={error && "plan-error"}>
      <legend>{t("plan", locale)}</legend>
      {plans.map((plan, index) => (
        <label class="choice" key={plan.slug}>
          <input
            type="radio"
            name="plan"
            value={plan.slug}
            checked={plan.slug === selected}
            autofocus={(index === 0 && isFirstInvalid("plan", form.errors)) || undefined}
            aria-invalid={error ? "true" : undefined}
          />
          <span>
            <b>{[...new Set([plan.name, formatPrice(plan, locale), ...describeTrial(plan, locale)])].join(" · ")}</b>
            <span class="soft">{plan.description}</span>
          </span>
        </label>
      ))}
      {error && (
        <p class="field-error" id="plan-error">
          {insertLabel(error, t("plan", locale))}
        </p>
      )}
    </fieldset>
  )
}

const formatPrice = ({ priceCents, currency, interval }: Plan, locale: Locale): string =>
  priceCents === 0 ? t("free", locale) : `${money(priceCents, currency, locale)} ${t(interval, locale)}`

const describeTrial = ({ trialDays }: Pick<Plan, "trialDays">, locale: Locale): string[] =>
  trialDays > 0 ? [t("trial", locale, { days: trialDays })] : []

/**
 * Pictures of the themes with their presets in one group, so that choosing both works without a script. They are folded
 * away unless one is chosen or refused: a theme can be chosen later.
 */
function ThemeChoice({ locale, form, plans }: ChoiceProps) {
  const selected = themeOption(form.values.theme ?? "", form.values.preset ?? "")
  const offered = themes.filter(
    (theme) => findAvailableTheme(theme.slug) && plans.some((plan) => isThemeAllowed(theme, plan)),
  )
  const isChosen = offered.some(({ slug, presets }) =>
    presets.some((preset) => themeOption(slug, preset.slug) === selected),
  )
  const error = describeThemeError(form, plans, locale)
  return (
    <details class="fold" open={isChosen || error !== undefined}>
      <summary>
        {t("theme", locale)} <span class="soft">· {t("optional", locale)}</span>
      </summary>
      <fieldset aria-describedby={error && "look-error"}>
        <legend class="hidden">{t("theme", locale)}</legend>
        <label class="choice">
          <input type="radio" name="look" value="" checked={!isChosen} />
          <span>{t("theme_later", locale)}</span>
        </label>
        <div class="themes">
          {offered.map((theme) => (
            <div class="theme" key={theme.slug}>
              <ThemePicture theme={theme} locale={locale} />
              <b>{labelWithPlans(theme, plans)}</b>
              {theme.presets.map((preset) => {
                const option = themeOption(theme.slug, preset.slug)
                return (
                  <label class="choice" key={preset.slug}>
                    <input type="radio" name="look" value={option} checked={option === selected} />
                    <span>
                      <span class="hidden">{theme.name} </span>
                      {preset.name}
                    </span>
                  </label>
                )
              })}
            </div>
          ))}
        </div>
        {error && (
          <p class="field-error" id="look-error">
            {error}
          </p>
        )}
      </fieldset>
    </details>
  )
}

/** Explains why the theme was refused; undefined when it was not. */
function describeThemeError({ values, errors }: FormState, plans: Plan[], locale: Locale): string | undefined {
  const [message] = errors.theme ?? errors.preset ?? []
  const error = message && insertLabel(message, t("theme", locale))
  const theme = errors.theme && themes.find(({ slug }) => slug === values.theme)
  const plan = plans.find(({ slug }) => slug === values.plan)
  if (!theme || !plan || isThemeAllowed(theme, plan)) return error
  return t("theme_not_in_plan", locale, { theme: theme.name, plan: plan.name })
}

const themeOption = (theme: string, preset: string): string => `${theme}/${preset}`

/** Replaces the form's `look` field by the `theme` and `preset` that JSON clients send. */
export function splitAppearance({ look, ...fields }: Record<string, unknown>): Record<string, unknown> {
  if (typeof look !== "string" || look === "") return fields
  const [theme, preset] = look.split("/", 2)
  return { theme, preset, ...fields }
}

/** The name of a theme, followed by the plans that include it unless all do. */
function labelWithPlans(theme: Theme, plans: Plan[]): string {
  const included = plans.filter((plan) => isThemeAllowed(theme, plan))
  if (included.length === plans.length) return theme.name
  return `${theme.name} (${included.map(({ name }) => name).join(", ")})`
}

interface NewPasswordProps {
  locale: Locale
  form: FormState
  hiddenPassword?: string
}

const NewPasswordField = ({ locale, form, hiddenPassword }: NewPasswordProps) => (
  <div>
    <Field
      locale={locale}
      form={form}
      name="password"
      label={t("password", locale)}
      type="password"
      hint={t(hiddenPassword ? "password_entered" : "password_hint", locale)}
      isOptional={hiddenPassword !== undefined}
      minlength={MIN_PASSWORD_LENGTH}
      maxlength={1024}
      autocomplete="new-password"
    />
    {hiddenPassword && <input type="hidden" name={HIDDEN_PASSWORD} value={hiddenPassword} />}
  </div>
)

interface ConfirmProps {
  locale: Locale
  token: string
  reservation: Pick<ReservationDetail, "name" | "email" | "planName" | "trialDays" | "coupon">
  host: string
  form: FormState
  error?: string
}

/**
 * The page of a mailed link. It shows the details of the sign-up, because another person may have entered this email
 * address. Opening it creates nothing, because mail scanners open links.
 */
export function ConfirmForm({ locale, token, reservation, host, form, error }: ConfirmProps) {
  const { name, email, planName, trialDays, coupon } = reservation
  // A coupon may extend the trial.
  const trial = describeTrial({ trialDays: coupon ? 0 : (trialDays ?? 0) }, locale)
  const rows = [
    [t("store_name", locale), name],
    [t("address", locale), host],
    ...(planName ? [[t("plan", locale), [planName, ...trial].join(" · ")] as const] : []),
    [t("email", locale), email],
  ] as const
  return (
    <Column title={t("confirm_title", locale)} lead={t("confirm_body", locale)}>
      <Form action="/signup/confirm" submitLabel={t("confirm", locale)} error={error}>
        <DescriptionList rows={rows} />
        <p class="soft">{t("confirm_not_requested", locale)}</p>
        <input type="hidden" name="token" value={token} />
        {/* Password managers store the new password under this account. */}
        <input type="email" autocomplete="username" value={email} readonly hidden />
        <NewPasswordField locale={locale} form={form} />
      </Form>
    </Column>
  )
}

export const FindStoreForm = ({ locale, form, error }: { locale: Locale; form: FormState; error?: string }) => (
  <Column title={t("find_store_title", locale)} lead={t("find_store_body", locale)}>
    <Form action="/sign-in" submitLabel={t("send_links", locale)} error={error}>
      <Field name="email" label={t("email", locale)} type="email" locale={locale} form={form} autocomplete="email" />
    </Form>
  </Column>
)
