// The pages of customers' accounts: signing in, registering, the overview, the profile and the password.
import type { Child, PropsWithChildren } from "hono/jsx"
import { MIN_PASSWORD_LENGTH } from "../../../core/http/validation"
import type { Translations } from "../../../core/i18n/locale"
import { ConfirmationForm } from "../../components/confirmation-form"
import { Field, type FormState, Honeypot, Message } from "../../components/form"
import type { Page } from "../../part"
import { ACCOUNT, FORGOT_PASSWORD, RESEND_CONFIRMATION } from "../../paths"
import type { View } from "../../view"
import * as W from "./strings"

export const LABELS = {
  name: W.NAME,
  first_name: W.NAME,
  email: W.EMAIL,
  phone: W.PHONE,
  password: W.PASSWORD,
  code: W.CODE,
  current_password: W.CURRENT_PASSWORD,
} satisfies Record<string, Translations>

/** The state of a form page: the entered values, their errors, and a message above the form. */
export interface AccountFormState {
  form: (view: View) => FormState
  message?: { text: (view: View) => string; isError?: boolean } | undefined
}

/** Builds a page of the account. */
export const page =
  (title: Translations, body: (view: View) => Child): Page =>
  (view) => ({
    meta: { title: view.translate(title), description: "", path: null },
    section: ACCOUNT,
    body: (
      <article class="account section shell narrow">
        <h1>{view.translate(title)}</h1>
        {body(view)}
      </article>
    ),
  })

/** A form of the account, with a message above it. */
export function AccountForm({
  view,
  action,
  submit,
  message,
  children,
}: PropsWithChildren<{ view: View; action: string; submit: Translations; message: AccountFormState["message"] }>) {
  return (
    <>
      {message && (
        <Message isError={message.isError}>
          <p>{message.text(view)}</p>
        </Message>
      )}
      <form method="post" action={action} class="form">
        {children}
        <p>
          <button class="button" type="submit">
            {view.translate(submit)}
          </button>
        </p>
      </form>
    </>
  )
}

export const signInPage = ({ form: build, message }: AccountFormState): Page =>
  page(W.SIGN_IN, (view) => {
    const field = { view, form: build(view) }
    return (
      <>
        <AccountForm view={view} action={`${ACCOUNT}/sign-in`} submit={W.SIGN_IN} message={message}>
          <Field
            {...field}
            name="email"
            label={view.translate(W.EMAIL)}
            type="email"
            autocomplete="username"
            maxlength={190}
          />
          <Field
            {...field}
            name="password"
            label={view.translate(W.PASSWORD)}
            type="password"
            autocomplete="current-password"
          />
          {field.form.errors.code && (
            <Field {...field} name="code" label={view.translate(W.CODE)} autocomplete="one-time-code" maxlength={64} />
          )}
        </AccountForm>
        <p class="actions">
          <a class="more" href={`${ACCOUNT}/register`}>
            {view.translate(W.CREATE_ACCOUNT)}
          </a>
          <a class="more" href={FORGOT_PASSWORD}>
            {view.translate(W.FORGOT_PASSWORD)}
          </a>
          <a class="more" href={RESEND_CONFIRMATION}>
            {view.translate(W.RESEND_CONFIRMATION)}
          </a>
        </p>
      </>
    )
  })

export const registerPage = ({ form: build, message }: AccountFormState): Page =>
  page(W.CREATE_ACCOUNT, (view) => {
    const field = { view, form: build(view) }
    return (
      <>
        <AccountForm view={view} action={`${ACCOUNT}/register`} submit={W.CREATE_ACCOUNT} message={message}>
          <Field {...field} name="name" label={view.translate(W.NAME)} autocomplete="name" maxlength={120} />
          <Field
            {...field}
            name="email"
            label={view.translate(W.EMAIL)}
            type="email"
            autocomplete="username"
            maxlength={60}
          />
          <Field
            {...field}
            name="password"
            label={view.translate(W.PASSWORD)}
            type="password"
            autocomplete="new-password"
            minlength={MIN_PASSWORD_LENGTH}
            hint={view.translate(W.MIN_PASSWORD)}
          />
          <Honeypot label={view.translate(W.LEAVE_EMPTY)} />
        </AccountForm>
        <p class="actions">
          <a class="more" href={`${ACCOUNT}/sign-in`}>
            {view.translate(W.HAVE_ACCOUNT)}
          </a>
        </p>
      </>
    )
  })

/**
 * A message in place of the registration form.
 * @param email the address that was registered
 */
export const messagePage = (text: string, email: string): Page =>
  page(W.CREATE_ACCOUNT, (view) => (
    <>
      <Message>
        <p>{text}</p>
      </Message>
      <ConfirmationForm view={view} email={email} label={W.RESEND_CONFIRMATION} />
    </>
  ))

/** @param links of the apps, such as to the customer's orders */
export const overviewPage = (name: string, links: readonly { href: string; name: Translations }[]): Page => {
  const title: Translations = { en: name, es: name, fr: name, vi: name }
  return page(title, (view) => (
    <>
      <ul class="results">
        {[
          ...links,
          { href: `${ACCOUNT}/profile`, name: W.PROFILE },
          { href: `${ACCOUNT}/password`, name: W.CHANGE_PASSWORD },
          { href: `${ACCOUNT}/delete`, name: W.DELETE_ACCOUNT },
        ].map((link) => (
          <li key={link.href}>
            <a class="more" href={link.href}>
              {view.translate(link.name)}
            </a>
          </li>
        ))}
      </ul>
      <form method="post" action={`${ACCOUNT}/sign-out`} class="actions">
        <button class="plain" type="submit">
          {view.translate(W.SIGN_OUT)}
        </button>
      </form>
    </>
  ))
}

export const profilePage = ({ form: build, message }: AccountFormState): Page =>
  page(W.PROFILE, (view) => {
    const field = { view, form: build(view) }
    return (
      <AccountForm view={view} action={`${ACCOUNT}/profile`} submit={W.SAVE} message={message}>
        <Field {...field} name="name" label={view.translate(W.NAME)} autocomplete="name" maxlength={120} />
        <Field
          {...field}
          name="email"
          label={view.translate(W.EMAIL)}
          type="email"
          autocomplete="email"
          maxlength={190}
        />
        <Field
          {...field}
          name="phone"
          label={view.translate(W.PHONE)}
          type="tel"
          autocomplete="tel"
          maxlength={25}
          isOptional
        />
        <Field
          {...field}
          name="current_password"
          label={view.translate(W.CURRENT_PASSWORD)}
          type="password"
          autocomplete="current-password"
          hint={view.translate(W.PASSWORD_FOR_EMAIL)}
          isOptional
        />
      </AccountForm>
    )
  })

export const passwordPage = ({ form: build, message }: AccountFormState): Page =>
  page(W.CHANGE_PASSWORD, (view) => {
    const field = { view, form: build(view), type: "password" as const }
    return (
      <AccountForm view={view} action={`${ACCOUNT}/password`} submit={W.CHANGE_PASSWORD} message={message}>
        <Field
          {...field}
          name="current_password"
          label={view.translate(W.CURRENT_PASSWORD)}
          autocomplete="current-password"
        />
        <Field
          {...field}
          name="password"
          label={view.translate(W.NEW_PASSWORD)}
          autocomplete="new-password"
          minlength={MIN_PASSWORD_LENGTH}
          hint={view.translate(W.MIN_PASSWORD)}
        />
      </AccountForm>
    )
  })
