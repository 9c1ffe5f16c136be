// The forms of the platform's own pages: signing up, and asking where one's stores are.
import type { Child } from "hono/jsx"
import { LOCALES, type Locale } from "../../core/i18n/locale"
import { money } from "../../lib/intl"
import type { Plan } from "../../platform/plans/schemas"
import type { ShownReservation } from "../../platform/signups/service"
import { availableTheme, isWearable } from "../../platform/themes/rules"
import { type Theme, themes } from "../../themes/catalog"
import { type Word, word } from "./strings"

/** What was typed, and what is wrong with it. */
export interface Filled {
  values: Record<string, string>
  faults: Record<string, string[]>
}

export const EMPTY: Filled = { values: {}, faults: {} }

interface FieldProps {
  name: string
  label: Word
  locale: Locale
  filled: Filled
  type?: "text" | "email" | "password"
  hint?: Word
  /** What stands behind the input. */
  behind?: string
  optional?: boolean
  autocomplete?: string
  pattern?: string
  minlength?: number
  maxlength?: number
}

/** One line to fill in, with its fault or its hint. */
export function Field({ name, label, locale, filled, type = "text", hint, behind, optional, ...rest }: FieldProps) {
  const [fault] = filled.faults[name] ?? []
  const about = fault || hint ? `${name}-about` : undefined
  const input = (
    <input
      id={name}
      name={name}
      type={type}
      value={type === "password" ? undefined : filled.values[name]}
      required={!optional}
      aria-invalid={fault ? "true" : undefined}
      aria-describedby={about}
      autocapitalize={type === "text" && behind ? "none" : undefined}
      {...rest}
    />
  )
  return (
    <div>
      <label for={name}>
        {word(label, locale)}
        {optional && <span class="soft"> · {word("optional", locale)}</span>}
      </label>
      {behind ? (
        <div class="with">
          {input}
          <span>{behind}</span>
        </div>
      ) : (
        input
      )}
      {about && (
        <span id={about} class={fault ? "fault" : "hint"} role={fault ? "alert" : undefined}>
          {fault ?? (hint && word(hint, locale))}
        </span>
      )}
    </div>
  )
}

/** Why a form came back. */
export const Faults = ({ text }: { text: string | undefined }): Child =>
  text ? (
    <div class="notice bad" role="alert">
      <p>{text}</p>
    </div>
  ) : null

interface SignUpProps {
  locale: Locale
  plans: Plan[]
  /** What stands behind the subdomain, such as `.shops.example`. */
  domain: string
  /** Whether a link is mailed first; the password is chosen behind it. */
  isVerified: boolean
  filled: Filled
  fault?: string
}

export function SignUpForm({ locale, plans, domain, isVerified, filled, fault }: SignUpProps) {
  const chosen = filled.values.plan || plans[0]?.slug
  const field = { locale, filled }
  return (
    <div class="shell narrow page">
      <h1>{word("signup_title", locale)}</h1>
      <p class="lede">{word(isVerified ? "signup_body" : "signup_body_at_once", locale)}</p>
      <Faults text={fault} />
      <form class="sheet" method="post" action="/signup">
        <Field {...field} name="name" label="store_name" maxlength={120} autocomplete="organization" />
        <Field
          {...field}
          name="subdomain"
          label="address"
          hint="address_hint"
          behind={domain}
          pattern="[a-z0-9][a-z0-9\-]*"
          maxlength={63}
          autocomplete="off"
        />
        <div class="two">
          <Field {...field} name="email" label="email" type="email" maxlength={190} autocomplete="email" />
          {!isVerified && <NewPassword {...field} />}
        </div>
        {plans.length > 0 && (
          <fieldset>
            <legend>{word("plan", locale)}</legend>
            {plans.map((plan) => (
              <label class="choice" key={plan.slug}>
                <input type="radio" name="plan" value={plan.slug} checked={plan.slug === chosen} />
                <span>
                  <b>
                    {plan.name} ·{" "}
                    {plan.priceCents === 0
                      ? word("free", locale)
                      : `${money(plan.priceCents, plan.currency, locale)} ${word(plan.interval, locale)}`}
                  </b>
                  <span class="soft">{plan.description}</span>
                </span>
              </label>
            ))}
            {filled.faults.plan && <span class="fault">{filled.faults.plan[0]}</span>}
          </fieldset>
        )}
        <div class="two">
          <Looks {...field} plans={plans} />
          <Languages {...field} />
        </div>
        <Field {...field} name="coupon" label="coupon" optional maxlength={64} autocomplete="off" />
        <div class="trap" aria-hidden="true">
          <label for="website">Website</label>
          <input id="website" name="website" tabindex={-1} autocomplete="off" />
        </div>
        <button type="submit">{word("sign_up", locale)}</button>
      </form>
    </div>
  )
}

/** A look is a theme and one of its presets, so that one list without a script offers both. */
function Looks({ locale, filled, plans }: Pick<SignUpProps, "locale" | "filled" | "plans">) {
  const fault = filled.faults.theme?.[0] ?? filled.faults.preset?.[0]
  const chosen = lookOf(filled.values.theme ?? "", filled.values.preset ?? "")
  return (
    <div>
      <label for="look">
        {word("theme", locale)}
        <span class="soft"> · {word("optional", locale)}</span>
      </label>
      <select
        id="look"
        name="look"
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? "look-about" : undefined}
      >
        <option value="">{word("theme_default", locale)}</option>
        {themes
          .filter((theme) => availableTheme(theme.slug) && plans.some((plan) => isWearable(theme, plan)))
          .map((theme) => (
            <optgroup label={withPlans(theme, plans)} key={theme.slug}>
              {theme.presets.map((preset) => {
                const look = lookOf(theme.slug, preset.slug)
                return (
                  <option value={look} selected={look === chosen} key={preset.slug}>
                    {theme.name} · {preset.name}
                  </option>
                )
              })}
            </optgroup>
          ))}
      </select>
      {fault && (
        <span id="look-about" class="fault" role="alert">
          {fault}
        </span>
      )}
    </div>
  )
}

const lookOf = (theme: string, preset: string): string => `${theme}/${preset}`

/** The fields of a form with its look told as theme and preset, as whoever sends JSON tells them. */
export function readLook({ look, ...given }: Record<string, unknown>): Record<string, unknown> {
  if (typeof look !== "string" || look === "") return given
  const [theme, preset] = look.split("/", 2)
  return { theme, preset, ...given }
}

/** A theme's name, with the plans that have it where not all do. */
function withPlans(theme: Theme, plans: Plan[]): string {
  const having = plans.filter((plan) => isWearable(theme, plan))
  return having.length === plans.length ? theme.name : `${theme.name} (${having.map(({ name }) => name).join(", ")})`
}

/** Languages by their own names. */
const LANGUAGES: Record<Locale, string> = { en: "English", es: "Español", fr: "Français", vi: "Tiếng Việt" }

/** In which language the owner is written to, and the owner's pages are. */
export function Languages({ locale, filled }: { locale: Locale; filled: Filled }) {
  return (
    <div>
      <label for="language">{word("language", locale)}</label>
      <select id="language" name="language" aria-describedby="language-about">
        {LOCALES.map((language) => (
          <option value={language} lang={language} selected={language === (filled.values.language || locale)}>
            {LANGUAGES[language]}
          </option>
        ))}
      </select>
      <span id="language-about" class="hint">
        {word("language_hint", locale)}
      </span>
    </div>
  )
}

/** A password that is chosen now. */
const NewPassword = (field: Pick<FieldProps, "locale" | "filled">) => (
  <Field
    {...field}
    name="password"
    label="password"
    type="password"
    hint="password_hint"
    minlength={8}
    maxlength={1024}
    autocomplete="new-password"
  />
)

interface ConfirmProps {
  locale: Locale
  token: string
  reservation: Pick<ShownReservation, "name" | "email" | "planName">
  host: string
  filled: Filled
  fault?: string
}

/**
 * The page behind a mailed link. It shows what was chosen, because somebody else may have typed this e-mail address. Opening it
 * creates nothing, because mail scanners open links.
 */
export function ConfirmForm({ locale, token, reservation, host, filled, fault }: ConfirmProps) {
  const { name, email, planName } = reservation
  const facts: [Word, string][] = [
    ["store_name", name],
    ["address", host],
    ...(planName ? [["plan", planName] as [Word, string]] : []),
    ["email", email],
  ]
  return (
    <div class="shell narrow page">
      <h1>{word("confirm_title", locale)}</h1>
      <p class="lede">{word("confirm_body", locale)}</p>
      <Faults text={fault} />
      <form class="sheet" method="post" action="/signup/confirm">
        <dl class="facts">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{word(label, locale)}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <p class="soft">{word("confirm_foreign", locale)}</p>
        <input type="hidden" name="token" value={token} />
        {/* Tells password managers the account that the new password belongs to. */}
        <input type="email" autocomplete="username" value={email} readonly hidden />
        <NewPassword locale={locale} filled={filled} />
        <button type="submit">{word("confirm", locale)}</button>
      </form>
    </div>
  )
}

export function SignInForm({ locale, filled, fault }: { locale: Locale; filled: Filled; fault?: string }) {
  return (
    <div class="shell narrow page">
      <h1>{word("signin_title", locale)}</h1>
      <p class="lede">{word("signin_body", locale)}</p>
      <Faults text={fault} />
      <form class="sheet" method="post" action="/sign-in">
        <Field name="email" label="email" type="email" locale={locale} filled={filled} autocomplete="email" />
        <button type="submit">{word("send", locale)}</button>
      </form>
    </div>
  )
}
