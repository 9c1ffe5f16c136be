// The forms of the platform's own pages: signing up, and asking where one's stores are.
import type { Child } from "hono/jsx"
import type { Locale } from "../core/locale"
import { money } from "../lib/written"
import type { Plan } from "../platform/plans/schemas"
import { themes } from "../themes/catalog"
import { type Word, word } from "./words"

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
  filled: Filled
  fault?: string
}

export function SignUpForm({ locale, plans, domain, filled, fault }: SignUpProps) {
  const chosen = filled.values.plan || plans[0]?.slug
  const field = { locale, filled }
  return (
    <div class="shell narrow page">
      <h1>{word("signup_title", locale)}</h1>
      <p class="lede">{word("signup_body", locale)}</p>
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
          <Field
            {...field}
            name="password"
            label="password"
            type="password"
            hint="password_hint"
            minlength={8}
            autocomplete="new-password"
          />
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
          <div>
            <label for="theme">
              {word("theme", locale)}
              <span class="soft"> · {word("optional", locale)}</span>
            </label>
            <select id="theme" name="theme" aria-invalid={filled.faults.theme ? "true" : undefined}>
              <option value="">{word("theme_default", locale)}</option>
              {themes
                .filter(({ published }) => published)
                .map(({ slug, name }) => (
                  <option value={slug} selected={slug === filled.values.theme} key={slug}>
                    {name}
                  </option>
                ))}
            </select>
            {filled.faults.theme && <span class="fault">{filled.faults.theme[0]}</span>}
          </div>
          <Field {...field} name="coupon" label="coupon" optional maxlength={64} autocomplete="off" />
        </div>
        <div class="trap" aria-hidden="true">
          <label for="website">Website</label>
          <input id="website" name="website" tabindex={-1} autocomplete="off" />
        </div>
        <button type="submit">{word("sign_up", locale)}</button>
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
