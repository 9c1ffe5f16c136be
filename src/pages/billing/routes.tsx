// The billing page of a store on its own host (/billing): the owner's API in a browser. It works without scripts and
// while the store is closed.

import type { Context } from "hono"
import type { Child } from "hono/jsx"
import { FORGOT_PASSWORD_PATH } from "../../content/accounts/mailed-tokens"
import { logIn, parseLogIn, revokeSession } from "../../content/accounts/sessions"
import {
  authenticateOwner,
  type Billing,
  ChooseLanguage,
  cancelOwnSubscription,
  changeOwnPlan,
  chooseLanguage,
  findOwnerInAdmin,
  type OwnerCtx,
  openBillingPortal,
  orderPlan,
  readBilling,
  readCurrentBilling,
  saveOwnBillingDetails,
  startCheckout,
  withdrawCancellation,
  withdrawOwnPlanChange,
} from "../../content/billing/owner"
import { type ContentApiCode, isContentRefusal, messageOf, STATUS_BY_CODE, statusOf } from "../../content/envelope"
import { pinToStore, resolveSite, type SiteCtx } from "../../content/site"
import { createUserCtx, findUserOfExpired } from "../../content/user"
import { DRAFT_PARAMETER, findDraft, type SubmittedForm, saveDraft } from "../../core/auth/form-drafts"
import { respondErrorPage } from "../../core/html/error-page"
import { Sentence, UtcDay } from "../../core/html/moment"
import { type Form as FormFields, lastValues, readForm } from "../../core/http/body"
import { parseInput } from "../../core/http/input"
import { isServerFailure, Refusal } from "../../core/http/refusal"
import { isSameOriginForm } from "../../core/http/same-origin"
import { createSurface, requestContext, type SurfaceEnv, type SurfaceVariables } from "../../core/http/surface"
import { fieldMessages, labelledMessages } from "../../core/i18n/field-messages"
import { acceptedLocale, findAcceptedLocale, type Locale } from "../../core/i18n/locale"
import { currentTime } from "../../lib/clock"
import { describeInvoice } from "../../platform/invoices/describe"
import { SaveBillingDetails } from "../../platform/invoices/details"
import { readInvoice } from "../../platform/invoices/service"
import { RequestOrder } from "../../platform/orders/schemas"
import { withdrawOrder } from "../../platform/orders/service"
import { getFirstCharge, isBilledByCard } from "../../platform/subscriptions/rules"
import { ChangePlan } from "../../platform/subscriptions/schemas"
import { redeemSupportAccess } from "../../platform/support/service"
import { readTaxSettings } from "../../platform/tax/settings"
import { EMPTY_FORM, Field, Form, type FormState, LanguageSelect } from "../kit/form"
import { Column, type Page, respondPage } from "../kit/page"
import { loadPageStrings } from "../kit/page-strings"
import { getConfirmationPath, renderChoice } from "./choice"
import { InvoiceView } from "./invoice"
import { describeNotice, NOTICE_PARAMETER, type Notice } from "./notices"
import { ChangePlanView } from "./plans"
import { createSessionCookie, deleteSessionCookie, getAdminToken, getSessionToken, SESSION_TTL } from "./session"
import { t } from "./strings"
import { BillingView, CancelView } from "./view"

interface BillingEnv extends SurfaceEnv {
  Variables: SurfaceVariables & { ctx: SiteCtx }
}

type C = Context<BillingEnv>

const DETAILS_PATH = "/billing/details"

/** Returns to the billing page, which confirms what a form did. */
const redirectWithNotice = (c: C, notice: Notice): Response => c.redirect(`/billing?${NOTICE_PARAMETER}=${notice}`, 303)

/** The field of the sign-in form with the page to return to. */
const RETURN_FIELD = "return_to"

export const billingPages = createSurface<BillingEnv, ContentApiCode>({
  name: "billing",
  logFields: (c) => ({ site: c.var.ctx?.site.id }),
  gate: [
    async (c, next) => {
      const accepted = acceptedLocale(c.req.header("Accept-Language"))
      await loadPageStrings(c.env, accepted)
      const requestCtx = requestContext(c)
      const { site } = await resolveSite(requestCtx, c.req.url, undefined)
      if (!site.store) throw new Refusal("not_found")
      const locale = site.language ?? accepted
      await loadPageStrings(c.env, locale)
      c.set("ctx", { ...pinToStore(requestCtx, site), site, key: null, locale })
      await next()
    },
  ],
  maxBody: 20_000,
  codes: STATUS_BY_CODE,
  refuse: (c, refusal) => {
    const locale = findAcceptedLocale(c.req.header("Accept-Language")) ?? c.var.ctx?.locale ?? "en"
    const status = statusOf(refusal)
    if (refusal.code === "store_unavailable")
      return respondErrorPage(c, status, { locale, text: t("unavailable", locale) })
    const isGeneral = status === 404 || status >= 500
    return respondErrorPage(c, status, isGeneral ? { locale } : { locale, text: messageOf(refusal, locale) })
  },
})

/** Whether a page of this host sent the form. Clients other than browsers have no cookie that a foreign page could use. */
const isOwnForm = (c: C): boolean => isSameOriginForm(c.req.raw, c.var.ctx.settings) !== false

function pageDefaults(c: C): Omit<Page, "title" | "body"> {
  const { ctx } = c.var
  return {
    locale: ctx.locale,
    brand: ctx.site.store?.name ?? "",
    navigation: [{ href: "/admin", text: t("back_to_admin", ctx.locale) }],
    footer: ctx.settings.APP_NAME,
  }
}

/** Returns null for a session that has ended or does not belong to an owner. */
function nullIfRefused(thrown: unknown): null {
  if (thrown instanceof Refusal && (thrown.code === "unauthenticated" || thrown.code === "forbidden")) return null
  throw thrown
}

/** Also tolerates a store that is being migrated: its logins cannot be deleted and expire by themselves. */
function nullIfUnavailable(thrown: unknown): null {
  if (thrown instanceof Refusal && thrown.code === "store_unavailable") return null
  return nullIfRefused(thrown)
}

/**
 * Saves the form of a session that has expired, or of an owner who is signed in to the admin only.
 * @returns the token that shows it again after signing in; null when there is nothing to save
 */
async function saveUnsentForm(c: C, admin: OwnerCtx | null, fields: FormFields): Promise<string | null> {
  if (!isOwnForm(c)) return null
  const { ctx } = c.var
  const token = getSessionToken(c)
  const expired = token ? await findUserOfExpired(ctx, `Bearer ${token}`) : null
  const id = expired?.id ?? admin?.actor.id
  return id ? saveDraft(ctx, getDraftOwner(ctx, id), { path: c.req.path, fields }) : null
}

const getDraftOwner = ({ site }: SiteCtx, userId: number): string => `user:${site.id}:${site.store?.seq}:${userId}`

/** The owner who is signed in to the admin of this host, or null. */
async function getAdminOwner(c: C): Promise<OwnerCtx | null> {
  const token = getAdminToken(c)
  return token ? findOwnerInAdmin(c.var.ctx, token) : null
}

/** The owner who is signed in here, or null. */
async function getOwner(c: C): Promise<OwnerCtx | null> {
  const token = getSessionToken(c)
  return token ? createUserCtx(c.var.ctx, `Bearer ${token}`).then(authenticateOwner).catch(nullIfRefused) : null
}

/** Asks the owner to sign in before a change. One who is signed in to the admin enters the password only. */
function renderSignIn(c: C, admin: OwnerCtx | null, draft?: string | null) {
  if (!admin) return signInPage(c, 401, EMPTY_FORM, undefined, draft)
  const lead = t("admin_body", c.var.ctx.locale)
  return signInPage(c, 401, { values: { email: admin.email }, errors: {} }, undefined, draft, undefined, lead)
}

/** Pages to which a sign-in returns; links in mails lead to invoices. */
const RETURN_PATH = /^\/billing\/(?:cancel|change-plan\?plan=[\w-]{1,63}|invoices\/[\w.-]{1,60})$/

/** Returns a path to which the sign-in may redirect; undefined for all others, which lead to the billing page. */
const parseReturnPath = (path = ""): string | undefined => (RETURN_PATH.test(path) ? path : undefined)

/** Returns the path and the query of the request. */
function getRequestPath(c: C): string {
  const { pathname, search } = new URL(c.req.url)
  return pathname + search
}

/**
 * @param draft the token of a form that is shown again after signing in
 * @param returnPath the page to return to
 * @param lead why the owner has to sign in
 */
function signInPage(
  c: C,
  status: 200 | 401 | 403 | 422 | 429,
  form: FormState,
  error?: string,
  draft?: string | null,
  returnPath = parseReturnPath(getRequestPath(c)),
  lead = t(draft ? "session_expired" : "sign_in_body", c.var.ctx.locale),
) {
  const { locale } = c.var.ctx
  const field = { locale, form }
  return respondPage(c, status, {
    ...pageDefaults(c),
    title: t("billing", locale),
    body: (
      <Column title={t("billing", locale)} lead={lead}>
        <Form action="/billing/sign-in" submitLabel={t("sign_in", locale)} error={error}>
          {draft && <input type="hidden" name={DRAFT_PARAMETER} value={draft} />}
          {returnPath && <input type="hidden" name={RETURN_FIELD} value={returnPath} />}
          <Field {...field} name="email" label={t("email", locale)} type="email" autocomplete="username" />
          <Field
            {...field}
            name="password"
            label={t("password", locale)}
            type="password"
            autocomplete="current-password"
          />
          {form.errors.code && (
            <Field
              {...field}
              name="code"
              label={t("two_factor_code", locale)}
              autocomplete="one-time-code"
              maxlength={64}
            />
          )}
        </Form>
        <p class="below">
          <a href={FORGOT_PASSWORD_PATH}>{t("forgot_password", locale)}</a>
        </p>
      </Column>
    ),
  })
}

/** Shows the current result of the card payment that the owner returns from. */
function describePayment({ facts: { subscription } }: Billing, locale: Locale, now: Date): Child {
  if (!subscription || !isBilledByCard(subscription)) return t("payment_processing", locale)
  const firstCharge = getFirstCharge(subscription, now)
  if (!firstCharge) return t("payment_received", locale)
  return (
    <Sentence of={(date) => t("card_saved", locale, { date })}>
      <UtcDay at={firstCharge} locale={locale} />
    </Sentence>
  )
}

/** A form that is shown again with its values. */
interface RefusedForm {
  /** Why it was refused; undefined for the form of a session that had expired. */
  error?: string
  /** The form of the billing details; undefined for the forms without fields. */
  details?: FormState
  /** The form that was not sent because the session had expired, unless it is the one of the billing details. */
  unsent?: SubmittedForm
}

/** @param isInAdmin whether the owner is signed in to the admin only */
async function billingPage(
  c: C,
  owner: OwnerCtx,
  status: 200 | 409 | 422 | 429 | 502,
  form?: RefusedForm,
  isInAdmin = false,
) {
  const { locale, settings, now } = c.var.ctx
  const [billing, { tax }] = await Promise.all([readCurrentBilling(owner), readTaxSettings(owner)])
  const choice = form?.unsent ? renderChoice({ form: form.unsent, billing, tax, locale, now }) : null
  const notice = c.req.query("paid")
    ? describePayment(billing, locale, now)
    : form
      ? t(form.details ? "form_restored" : choice === null ? "choice_not_sent" : "confirm_choice", locale)
      : describeNotice(c.req.query(NOTICE_PARAMETER) ?? "", billing, locale)
  return respondPage(c, status, {
    ...pageDefaults(c),
    banner: owner.supportAccess ? t("support_session", locale, { operator: owner.actor.name }) : undefined,
    title: t("billing", locale),
    body: (
      <>
        <BillingView
          billing={billing}
          tax={tax}
          settings={settings}
          locale={locale}
          now={now}
          error={form?.error}
          notice={notice}
          choice={choice}
          detailsForm={form?.details}
        />
        <div class="shell page">
          <form class="row language-form" method="post" action="/billing/language">
            <LanguageSelect locale={locale} form={EMPTY_FORM} />
            <button class="quiet" type="submit">
              {t("save", locale)}
            </button>
          </form>
          {!isInAdmin && (
            <form method="post" action="/billing/sign-out">
              <button class="plain" type="submit">
                {t("sign_out", locale)}
              </button>
            </form>
          )}
        </div>
      </>
    ),
  })
}

/** Returns what was entered as billing details; undefined for another form. */
const getDetailsForm = (form: SubmittedForm, errors: FormState["errors"] = {}): FormState | undefined =>
  form.path === DETAILS_PATH ? { values: lastValues(form.fields), errors } : undefined

billingPages.get("/billing", async (c) => {
  const owner = await getOwner(c)
  const draft = c.req.query(DRAFT_PARAMETER)
  const admin = owner ? null : await getAdminOwner(c)
  if (admin) return billingPage(c, admin, 200, undefined, true)
  if (!owner) return signInPage(c, 200, EMPTY_FORM, undefined, draft)
  const form =
    draft && owner.actor.type === "customer" && (await findDraft(owner, getDraftOwner(owner, owner.actor.id), draft))
  if (!form) return billingPage(c, owner, 200)
  const confirmation = getConfirmationPath(form)
  if (confirmation) return c.redirect(confirmation, 303)
  const details = getDetailsForm(form)
  return billingPage(c, owner, 200, details ? { details } : { unsent: form })
})

const MAX_EMAIL_LENGTH = 190

billingPages.post("/billing/sign-in", async (c) => {
  const { ctx } = c.var
  const fields = lastValues(await readForm(c))
  const email = (fields.email ?? "").slice(0, MAX_EMAIL_LENGTH)
  const form = { values: { email }, errors: {} }
  const draft = fields[DRAFT_PARAMETER]?.slice(0, 100)
  const returnPath = parseReturnPath(fields[RETURN_FIELD])
  const refuse = (status: 403 | 422 | 429, error: string) => signInPage(c, status, form, error, draft, returnPath)
  if (!isOwnForm(c)) return refuse(403, t("cross_origin", ctx.locale))
  try {
    const { token } = await logIn(ctx, parseLogIn(fields), SESSION_TTL)
    await authenticateOwner(await createUserCtx(ctx, `Bearer ${token}`))
    createSessionCookie(c, token)
    const withDraft = draft && `/billing?${new URLSearchParams({ [DRAFT_PARAMETER]: draft })}`
    return c.redirect(withDraft || returnPath || "/billing", 303)
  } catch (thrown) {
    if (!isContentRefusal(thrown)) throw thrown
    if (thrown.code === "forbidden") return refuse(403, t("not_owner", ctx.locale))
    if (thrown.code === "validation_failed") {
      const enterCode = t(fields.code ? "wrong_code" : "enter_code", ctx.locale)
      return signInPage(c, 422, { ...form, errors: { code: [enterCode] } }, undefined, draft, returnPath)
    }
    return refuse(thrown.code === "rate_limited" ? 429 : 422, messageOf(thrown, ctx.locale))
  }
})

billingPages.post("/billing/sign-out", async (c) => {
  if (isOwnForm(c)) {
    const token = getSessionToken(c)
    deleteSessionCookie(c)
    if (token) await createUserCtx(c.var.ctx, `Bearer ${token}`).then(revokeSession).catch(nullIfUnavailable)
  }
  return c.redirect("/billing", 303)
})

/** Redeems an operator's support link: valid once, for one minute. It signs in as the store's staff for 15 minutes. */
// lint: a single-use link signs in
billingPages.get("/billing/support", async (c) => {
  const { ctx } = c.var
  const { site } = ctx
  try {
    const { token, endsAt } = await redeemSupportAccess(ctx, site.id, c.req.query("token")?.slice(0, 100) ?? "")
    createSessionCookie(c, token, endsAt.getTime() - ctx.now.getTime())
    return c.redirect("/billing", 303)
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    if (thrown.code === "support_over") return signInPage(c, 403, EMPTY_FORM, t("support_over", ctx.locale))
    if (thrown.code === "forbidden") return signInPage(c, 403, EMPTY_FORM, t("not_owner", ctx.locale))
    throw thrown
  }
})

/** Runs the action of a form for the signed-in owner; shows the billing page with the error when it is refused. */
async function handleForm(c: C, run: (owner: OwnerCtx, fields: Record<string, unknown>) => Promise<Response>) {
  const { locale } = c.var.ctx
  // Read before the session is checked: while a slow body arrives, the session may end or the store may be replaced.
  const fields = await readForm(c)
  const form = { path: c.req.path, fields }
  c.set("ctx", { ...c.var.ctx, now: currentTime() })
  const owner = await getOwner(c)
  if (!owner) {
    const admin = await getAdminOwner(c)
    return renderSignIn(c, admin, await saveUnsentForm(c, admin, fields))
  }
  if (!isOwnForm(c)) return billingPage(c, owner, 409, { error: t("cross_origin", locale) })
  try {
    return await run(owner, lastValues(fields))
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    if (thrown.code === "plan_too_small") return billingPage(c, owner, 409, { error: t("plan_too_small", locale) })
    if (thrown.code === "usage_unavailable") return billingPage(c, owner, 409, { error: t("try_again", locale) })
    if (!isContentRefusal(thrown) || isServerFailure(thrown)) throw thrown
    const status = statusOf(thrown)
    const pageStatus = status === 422 || status === 429 || status === 502 ? status : 409
    if (thrown.code !== "validation_failed")
      return billingPage(c, owner, pageStatus, { error: messageOf(thrown, locale), details: getDetailsForm(form) })
    const fieldErrors = thrown.facts.fields ?? {}
    const details = getDetailsForm(form, labelledMessages(fieldErrors, locale))
    // The other forms have no fields to mark.
    const [first = messageOf(thrown, locale)] = Object.values(fieldMessages(fieldErrors, locale)).flat()
    const error = details ? t("check_fields", locale) : first
    return billingPage(c, owner, pageStatus, { error, details })
  }
}

billingPages.post("/billing/orders", (c) =>
  handleForm(c, async (owner, fields) => {
    const start = fields.start || undefined
    const input = parseInput(RequestOrder, { plan: fields.plan, note: fields.note || null, start })
    await orderPlan(owner, input)
    return redirectWithNotice(c, "ordered")
  }),
)

billingPages.post("/billing/orders/:reference/withdraw", (c) =>
  handleForm(c, async (owner) => {
    await withdrawOrder(owner, owner.storeId, c.req.param("reference"))
    return redirectWithNotice(c, "order_cancelled")
  }),
)

billingPages.get("/billing/cancel", async (c) => {
  const { locale, settings, now } = c.var.ctx
  const owner = await getOwner(c)
  if (!owner) return renderSignIn(c, await getAdminOwner(c))
  return respondPage(c, 200, {
    ...pageDefaults(c),
    title: t("cancel_plan", locale),
    body: <CancelView billing={await readBilling(owner)} settings={settings} locale={locale} now={now} />,
  })
})

billingPages.post("/billing/cancel", (c) =>
  handleForm(c, async (owner) => {
    await cancelOwnSubscription(owner)
    return redirectWithNotice(c, "cancelled")
  }),
)

billingPages.post("/billing/cancel/withdraw", (c) =>
  handleForm(c, async (owner) => {
    await withdrawCancellation(owner)
    return redirectWithNotice(c, "reactivated")
  }),
)

billingPages.get("/billing/change-plan", async (c) => {
  const { locale, now } = c.var.ctx
  const owner = await getOwner(c)
  if (!owner) return renderSignIn(c, await getAdminOwner(c))
  const billing = await readBilling(owner)
  const plan = billing.plans.find(({ slug }) => slug === c.req.query("plan"))
  if (!plan) return c.redirect("/billing", 303)
  return respondPage(c, 200, {
    ...pageDefaults(c),
    title: t("change_plan", locale),
    body: <ChangePlanView billing={billing} plan={plan} locale={locale} now={now} />,
  })
})

billingPages.post("/billing/change-plan", (c) =>
  handleForm(c, async (owner, fields) => {
    await changeOwnPlan(owner, parseInput(ChangePlan, { plan: fields.plan }))
    return redirectWithNotice(c, "plan_changed")
  }),
)

billingPages.post("/billing/change-plan/withdraw", (c) =>
  handleForm(c, async (owner) => {
    await withdrawOwnPlanChange(owner)
    return redirectWithNotice(c, "plan_kept")
  }),
)

billingPages.post("/billing/checkout", (c) =>
  handleForm(c, async (owner, fields) => {
    const input = parseInput(ChangePlan, { plan: fields.plan })
    return continueTo(c, await startCheckout(owner, input))
  }),
)

billingPages.post("/billing/language", (c) =>
  handleForm(c, async (owner, fields) => {
    await chooseLanguage(owner, parseInput(ChooseLanguage, fields))
    return redirectWithNotice(c, "language_saved")
  }),
)

billingPages.post("/billing/portal", (c) =>
  handleForm(c, async (owner) => continueTo(c, await openBillingPortal(owner))),
)

/** Continues to the payment provider by a page: `form-action 'self'` forbids redirecting a form to another host. */
function continueTo(c: C, url: string) {
  const { locale } = c.var.ctx
  const title = t("continue_to_payment", locale)
  return respondPage(c, 200, {
    ...pageDefaults(c),
    title,
    refresh: `0;url=${url}`,
    body: (
      <Column title={title}>
        <p class="row">
          <a class="button" href={url}>
            {title}
          </a>
        </p>
      </Column>
    ),
  })
}

billingPages.post(DETAILS_PATH, (c) =>
  handleForm(c, async (owner, fields) => {
    await saveOwnBillingDetails(owner, parseInput(SaveBillingDetails, fields))
    return redirectWithNotice(c, "details_saved")
  }),
)

/** The address of invoices in mails of earlier releases. */
billingPages.get("/billing/receipts/:number", (c) =>
  c.redirect(`/billing/invoices/${encodeURIComponent(c.req.param("number"))}`, 301),
)

const PDF_SUFFIX = ".pdf"

billingPages.get("/billing/invoices/:number", async (c) => {
  const { locale, site, settings } = c.var.ctx
  const owner = (await getOwner(c)) ?? (await getAdminOwner(c))
  if (!owner) return signInPage(c, 401, EMPTY_FORM)
  const name = c.req.param("number")
  const isPdf = name.endsWith(PDF_SUFFIX)
  const number = isPdf ? name.slice(0, -PDF_SUFFIX.length) : name
  const { invoice, credits } = await readInvoice(owner, number, site.store?.seq)
  if (isPdf) {
    const { renderInvoicePdf } = await import("../../platform/invoices/pdf")
    return c.body(await renderInvoicePdf(c.env, invoice, locale), 200, {
      "Content-Type": "application/pdf",
      "Content-Disposition": `inline; filename="${invoice.number}.pdf"`,
      "Cache-Control": "private, no-store",
    })
  }
  return respondPage(c, 200, {
    ...pageDefaults(c),
    title: describeInvoice(invoice, locale).title,
    body: <InvoiceView invoice={invoice} credits={credits} platform={settings.APP_NAME} locale={locale} />,
  })
})
