// The pages that mailed links lead to, on the site's own host: they confirm an email address, also that of the shop,
// accept an invitation and reset a password. Two further pages request these links. They belong to no API, so they work while the content API is off and without a
// key.

import type { Context } from "hono"
import type { Child } from "hono/jsx"
import * as z from "zod"
import { FORGOT_PASSWORD_PATH, PAGE_PATHS, RESEND_CONFIRMATION_PATH } from "../../content/accounts/mailed-tokens"
import { forgotPassword, resetPassword } from "../../content/accounts/passwords"
import { EmailOnly, ResetPassword } from "../../content/accounts/schemas"
import { accountMessage } from "../../content/accounts/strings"
import { resendVerification, verifyEmail } from "../../content/accounts/verification"
import { type ContentApiCode, isContentRefusal, messageOf, STATUS_BY_CODE, statusOf } from "../../content/envelope"
import { getSiteName } from "../../content/mails/account"
import { countHashing } from "../../content/rate-limits"
import { confirmContact, isContactLinkValid } from "../../content/shop/contact-email"
import { pinToStore, resolveSite, type SiteCtx } from "../../content/site"
import { acceptInvitation, isInvitationValid } from "../../content/staff/invitations"
import { AcceptInvitation } from "../../content/staff/schemas"
import { findPasswordErrors } from "../../core/auth/common-passwords"
import { respondErrorPage } from "../../core/html/error-page"
import { lastValues, readForm } from "../../core/http/body"
import { clientAddress } from "../../core/http/http"
import { Refusal } from "../../core/http/refusal"
import { accessState } from "../../core/http/store-access"
import { createSurface, requestContext, type SurfaceEnv, type SurfaceVariables } from "../../core/http/surface"
import { fieldErrors, MIN_PASSWORD_LENGTH } from "../../core/http/validation"
import { fieldMessages, labelledMessages } from "../../core/i18n/field-messages"
import { acceptedLocale, findAcceptedLocale } from "../../core/i18n/locale"
import { currentTime } from "../../lib/clock"
import { EMPTY_FORM, Field, Form, type FormState } from "../kit/form"
import { Column, type Link, respondPage } from "../kit/page"
import { loadPageStrings } from "../kit/page-strings"
import { t } from "./strings"

interface PagesEnv extends SurfaceEnv {
  Variables: SurfaceVariables & { ctx: SiteCtx }
}

type C = Context<PagesEnv>

/** The parameters of a mailed link. */
const MailedLink = z.object({ email: z.string().max(190), token: z.string().max(255) })

/** A page that requests a mailed link. */
interface LinkRequest {
  path: string
  title: Parameters<typeof t>[0]
  body: Parameters<typeof t>[0]
  submit: Parameters<typeof t>[0]
  /** The confirmation, which is shown whether or not there is such an account. */
  sent: Parameters<typeof accountMessage>[0]
  send: (ctx: SiteCtx, input: z.output<typeof EmailOnly>) => Promise<void>
}

const FORGOT: LinkRequest = {
  path: FORGOT_PASSWORD_PATH,
  title: "forgot_password",
  body: "forgot_password_body",
  submit: "send_link",
  sent: "reset_mailed",
  send: forgotPassword,
}

const RESEND: LinkRequest = {
  path: RESEND_CONFIRMATION_PATH,
  title: "confirm_email",
  body: "confirm_email_body",
  submit: "send_confirmation",
  sent: "verification_mailed",
  // Customers may confirm their address where it is optional, too: it attaches the orders that they placed as guests.
  send: (ctx, input) => resendVerification(ctx, input, true),
}

export const accountPages = createSurface<PagesEnv, ContentApiCode>({
  name: "account",
  logFields: (c) => ({ site: c.var.ctx?.site.id }),
  gate: [
    async (c, next) => {
      const requestCtx = requestContext(c)
      const { site } = await resolveSite(requestCtx, c.req.url, undefined)
      const locale = findAcceptedLocale(c.req.header("Accept-Language")) ?? site.language ?? "en"
      await loadPageStrings(c.env, locale)
      // Owners sign in to a suspended store to pay for it, so they must be able to reset their password.
      const state = site.store ? accessState(site.store.status) : "serving"
      if (state !== "serving" && state !== "suspended") throw new Refusal("store_unavailable")
      c.set("ctx", { ...pinToStore(requestCtx, site), site, key: null, locale })
      await next()
    },
  ],
  maxBody: 10_000,
  codes: STATUS_BY_CODE,
  refuse: (c, refusal) => {
    const status = statusOf(refusal)
    // The shop's language, if it is known and the visitor's is not.
    const locale = c.var.ctx?.locale ?? acceptedLocale(c.req.header("Accept-Language"))
    const isGeneral = status === 404 || refusal.code === "server_error" || refusal.code === "temporarily_unavailable"
    return respondErrorPage(c, status, isGeneral ? { locale } : { locale, text: messageOf(refusal, locale) })
  },
})

accountPages
  // lint: a link in a mail confirms the address
  .get(PAGE_PATHS.verify, async (c) => {
    const { ctx } = c.var
    const link = MailedLink.safeParse(c.req.query())
    if (!link.success) return respondLinkExpired(c, RESEND)
    try {
      if (!(await verifyEmail(ctx, link.data))) return respondLinkExpired(c, RESEND, link.data.email)
    } catch (thrown) {
      if (!isContentRefusal(thrown) || thrown.code !== "rate_limited") throw thrown
      return respond(c, 429, t("confirm_email", ctx.locale), <p>{messageOf(thrown, ctx.locale)}</p>)
    }
    const text = t(isConfirmationOptional(ctx) ? "orders_found" : "confirmed_body", ctx.locale)
    return respond(c, 200, t("confirmed", ctx.locale), <NextOfConfirmation c={c} text={text} />)
  })
  .get(FORGOT_PASSWORD_PATH, (c) => linkRequestPage(c, FORGOT, 200, EMPTY_FORM))
  .post(FORGOT_PASSWORD_PATH, (c) => requestLink(c, FORGOT))
  .get(RESEND_CONFIRMATION_PATH, (c) => linkRequestPage(c, RESEND, 200, EMPTY_FORM))
  .post(RESEND_CONFIRMATION_PATH, (c) => requestLink(c, RESEND))
  .get(PAGE_PATHS.invite, async (c) => {
    const link = MailedLink.safeParse(c.req.query())
    if (!link.success || !(await isInvitationValid(c.var.ctx, link.data))) return respondInvitationInvalid(c)
    return invitationPage(c, 200, link.data, EMPTY_FORM)
  })
  .post(PAGE_PATHS.invite, async (c) => {
    const fields = lastValues(await readForm(c))
    // The link may have expired while the form arrived.
    const ctx = { ...c.var.ctx, now: currentTime() }
    const link = MailedLink.safeParse(fields)
    if (!link.success) return respondInvitationInvalid(c)
    const values = { name: String(fields.name ?? "").slice(0, 120) }
    const input = AcceptInvitation.safeParse(fields)
    const known = await findPasswordErrors(ctx.env, fields)
    if (!input.success || known.password) {
      const errors = labelledMessages({ ...known, ...(input.error && fieldErrors(input.error, fields)) }, ctx.locale)
      return invitationPage(c, 422, link.data, { values, errors })
    }
    try {
      await acceptInvitation(
        ctx,
        { ...input.data, ...link.data },
        countHashing(ctx, "invitation", { ip: clientAddress(c) }),
      )
    } catch (thrown) {
      if (!isContentRefusal(thrown)) throw thrown
      if (thrown.code === "invitation_invalid") return respondInvitationInvalid(c)
      if (thrown.code !== "limit_reached" && thrown.code !== "rate_limited") throw thrown
      const status = thrown.code === "rate_limited" ? 429 : 422
      return invitationPage(c, status, link.data, { values, errors: {} }, messageOf(thrown, ctx.locale))
    }
    return respond(
      c,
      200,
      t("joined", ctx.locale),
      <>
        <p>{t("joined_body", ctx.locale)}</p>
        {ctx.site.store && (
          <a class="button" href="/admin/login">
            {t("sign_in", ctx.locale)}
          </a>
        )}
      </>,
    )
  })
  .get(PAGE_PATHS.contact_email, async (c) => {
    const link = MailedLink.safeParse(c.req.query())
    if (!link.success || !(await isContactLinkValid(c.var.ctx, link.data))) return respondContactLinkExpired(c)
    return contactPage(c, 200, link.data)
  })
  .post(PAGE_PATHS.contact_email, async (c) => {
    const link = MailedLink.safeParse(lastValues(await readForm(c)))
    // The link may have expired while the form arrived.
    const ctx = { ...c.var.ctx, now: currentTime() }
    if (!link.success) return respondContactLinkExpired(c)
    try {
      if (!(await confirmContact(ctx, link.data))) return respondContactLinkExpired(c)
    } catch (thrown) {
      if (!isContentRefusal(thrown) || thrown.code !== "rate_limited") throw thrown
      return contactPage(c, 429, link.data, messageOf(thrown, ctx.locale))
    }
    return respond(c, 200, t("contact_confirmed", ctx.locale), <p>{t("contact_confirmed_body", ctx.locale)}</p>)
  })
  .get(PAGE_PATHS.reset, (c) => {
    const link = MailedLink.safeParse(c.req.query())
    return link.success ? resetPasswordPage(c, 200, link.data, EMPTY_FORM) : respondLinkExpired(c)
  })
  .post(PAGE_PATHS.reset, async (c) => {
    const fields = lastValues(await readForm(c))
    // The link may have expired while the form arrived.
    const ctx = { ...c.var.ctx, now: currentTime() }
    const link = MailedLink.safeParse(fields)
    if (!link.success) return respondLinkExpired(c)
    const input = ResetPassword.safeParse(fields)
    const known = await findPasswordErrors(ctx.env, fields)
    if (!input.success || known.password) {
      const found = { ...known, ...(input.error && fieldErrors(input.error, fields)) }
      const { password: _, password_confirmation: __, ...hidden } = found
      const form = { values: {}, errors: labelledMessages(found, ctx.locale) }
      const [error] = Object.values(fieldMessages(hidden, ctx.locale)).flat()
      return resetPasswordPage(c, 422, link.data, form, error)
    }
    try {
      await resetPassword(ctx, input.data, countHashing(ctx, "reset", { ip: clientAddress(c) }))
    } catch (thrown) {
      if (!isContentRefusal(thrown)) throw thrown
      if (thrown.code === "reset_token_invalid") return respondLinkExpired(c, FORGOT, link.data.email)
      if (thrown.code !== "rate_limited") throw thrown
      return resetPasswordPage(c, 429, link.data, EMPTY_FORM, messageOf(thrown, ctx.locale))
    }
    const text = t("password_changed_body", ctx.locale)
    return respond(c, 200, t("password_changed", ctx.locale), <Next c={c} text={text} />)
  })

function respond(c: C, status: 200 | 422 | 429, title: string, content: Child): Response {
  const { ctx } = c.var
  return respondPage(c, status, {
    locale: ctx.locale,
    brand: getSiteName(ctx),
    title,
    body: <Column title={title}>{content}</Column>,
    hasSecretUrl: true,
  })
}

/**
 * @param request the page that requests another link
 * @param email the address of the expired link, which is not asked for again
 */
function respondLinkExpired(c: C, { path, title, submit }: LinkRequest = FORGOT, email?: string) {
  const { locale } = c.var.ctx
  if (email)
    return respond(
      c,
      422,
      t("link_expired", locale),
      <>
        <Form action={path} submitLabel={t(submit, locale)}>
          <p>{t("link_expired_body", locale)}</p>
          <input type="hidden" name="email" value={email} />
        </Form>
        <Next c={c} />
      </>,
    )
  const again = { href: path, text: t(title, locale) }
  return respond(c, 422, t("link_expired", locale), <Next c={c} text={t("link_expired_body", locale)} first={again} />)
}

/** Whether customers of the store can sign in without a confirmed address. */
const isConfirmationOptional = ({ site }: SiteCtx): boolean => site.store !== null && !site.api.emailVerification

/** Links to where people sign in: to the store and its admin, or to the platform where there is no store. */
function listSignInLinks({ locale, site }: SiteCtx): Link[] {
  if (!site.store) return [{ href: "/sign-in", text: t("sign_in", locale) }]
  return [
    { href: "/account/sign-in", text: t("sign_in", locale) },
    { href: "/billing", text: t("owner_sign_in", locale) },
  ]
}

/** A message about a confirmation. Where it is optional, customers request it from their account. */
function NextOfConfirmation({ c, text }: { c: C; text: string }) {
  const { ctx } = c.var
  if (!isConfirmationOptional(ctx)) return <Next c={c} text={text} />
  return <Next c={c} text={text} links={[{ href: "/account", text: t("to_account", ctx.locale) }]} />
}

interface NextProps {
  c: C
  text?: string
  first?: Link
  links?: readonly Link[]
}

/**
 * A message and where to go from it.
 * @param first a link before the others
 * @param links the links before the one to the store or the platform; by default those to sign in
 */
function Next({ c, text, first, links = listSignInLinks(c.var.ctx) }: NextProps) {
  const { locale, site } = c.var.ctx
  const all = [...(first ? [first] : []), ...links, { href: "/", text: t(site.store ? "to_store" : "to_home", locale) }]
  return (
    <>
      {text && <p>{text}</p>}
      <div class="row">
        {all.map((link) => (
          <a class="button quiet" href={link.href}>
            {link.text}
          </a>
        ))}
      </div>
    </>
  )
}

function respondInvitationInvalid(c: C) {
  const { locale } = c.var.ctx
  return respond(c, 422, t("invitation_invalid", locale), <p>{t("invitation_invalid_body", locale)}</p>)
}

function respondContactLinkExpired(c: C) {
  const { locale } = c.var.ctx
  return respond(c, 422, t("link_expired", locale), <p>{t("contact_link_expired_body", locale)}</p>)
}

/** @param error why the address was not confirmed */
function contactPage(c: C, status: 200 | 429, { email, token }: z.output<typeof MailedLink>, error?: string) {
  const { locale } = c.var.ctx
  return respond(
    c,
    status,
    t("confirm_contact", locale),
    <Form action={PAGE_PATHS.contact_email} submitLabel={t("confirm", locale)} error={error}>
      <p class="plain-text">{t("confirm_contact_body", locale, { email })}</p>
      <input type="hidden" name="email" value={email} />
      <input type="hidden" name="token" value={token} />
    </Form>,
  )
}

/** @param error why the invitation was not accepted */
function invitationPage(
  c: C,
  status: 200 | 422 | 429,
  link: z.output<typeof MailedLink>,
  form: FormState,
  error?: string,
) {
  const { locale } = c.var.ctx
  const field = { locale, form }
  return respond(
    c,
    status,
    t("join", locale),
    <Form action={PAGE_PATHS.invite} submitLabel={t("accept_invitation", locale)} error={error}>
      <p>{t("join_body", locale)}</p>
      <input type="hidden" name="email" value={link.email} />
      <input type="hidden" name="token" value={link.token} />
      <Field {...field} name="name" label={t("name", locale)} autocomplete="name" maxlength={120} />
      <Field
        {...field}
        name="password"
        label={t("password", locale)}
        type="password"
        autocomplete="new-password"
        minlength={MIN_PASSWORD_LENGTH}
        hint={t("password_hint", locale)}
      />
    </Form>,
  )
}

/** @param error why no mail was sent */
function linkRequestPage(
  c: C,
  { path, title, body, submit }: LinkRequest,
  status: 200 | 422 | 429,
  form: FormState,
  error?: string,
) {
  const { locale } = c.var.ctx
  return respond(
    c,
    status,
    t(title, locale),
    <Form action={path} submitLabel={t(submit, locale)} error={error}>
      <p>{t(body, locale)}</p>
      <Field
        name="email"
        label={t("email", locale)}
        type="email"
        locale={locale}
        form={form}
        autocomplete="username"
        maxlength={190}
      />
    </Form>,
  )
}

/** Characters of a refused address that are filled in again. */
const MAX_SHOWN_EMAIL_LENGTH = 500

/** Sends the link that a form requests. The response does not reveal whether the address has an account. */
async function requestLink(c: C, request: LinkRequest) {
  const { ctx } = c.var
  const fields = lastValues(await readForm(c))
  const input = EmailOnly.safeParse(fields)
  const values = { email: (fields.email ?? "").slice(0, MAX_SHOWN_EMAIL_LENGTH) }
  if (!input.success) {
    const errors = labelledMessages(fieldErrors(input.error, fields), ctx.locale)
    return linkRequestPage(c, request, 422, { values, errors })
  }
  try {
    await request.send(ctx, input.data)
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== "rate_limited") throw thrown
    return linkRequestPage(c, request, 429, { values, errors: {} }, messageOf(thrown, ctx.locale))
  }
  const text = accountMessage(request.sent, ctx.locale)
  const content = request === RESEND ? <NextOfConfirmation c={c} text={text} /> : <Next c={c} text={text} />
  return respond(c, 200, t(request.title, ctx.locale), content)
}

/** @param error why the password was not changed */
function resetPasswordPage(
  c: C,
  status: 200 | 422 | 429,
  link: z.output<typeof MailedLink>,
  form: FormState,
  error?: string,
) {
  const { locale } = c.var.ctx
  const field = {
    locale,
    form,
    type: "password",
    autocomplete: "new-password",
    minlength: MIN_PASSWORD_LENGTH,
  } as const
  return respond(
    c,
    status,
    t("choose_password", locale),
    <Form action={PAGE_PATHS.reset} submitLabel={t("reset_password", locale)} error={error}>
      <input type="hidden" name="email" value={link.email} />
      <input type="hidden" name="token" value={link.token} />
      <Field {...field} name="password" label={t("new_password", locale)} hint={t("password_hint", locale)} />
      <Field {...field} name="password_confirmation" label={t("confirm_password", locale)} />
    </Form>,
  )
}
