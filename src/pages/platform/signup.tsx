// The pages to sign up, to confirm a sign-up and to find one's stores. The forms accept and return JSON as well.
import type { Hono } from "hono"
import { deleteCookie, getCookie, setCookie } from "hono/cookie"
import * as z from "zod"
import { createFirstSignIn, FIRST_SIGN_IN_TTL, verifyFirstSignIn } from "../../core/auth/first-sign-in"
import { decryptPassword, encryptPassword } from "../../core/auth/hidden-password"
import { isJson as isJsonBody, lastValues, readForm, readJson } from "../../core/http/body"
import { clientAddress } from "../../core/http/http"
import { parseInput } from "../../core/http/input"
import { addressLimits, takeTokens } from "../../core/http/rate-limit"
import { invalid, isServerFailure, Refusal, type RefusalOf } from "../../core/http/refusal"
import { requestContext, type SurfaceEnv } from "../../core/http/surface"
import { labelledMessages } from "../../core/i18n/field-messages"
import { getFallbackHost, settingsOf } from "../../env"
import { SECOND } from "../../lib/time"
import { getMessage, isPlatformRefusal } from "../../platform/envelope"
import { EmailOnly, SignUp, SignUpWithPassword } from "../../platform/signups/schemas"
import {
  confirmSignUp,
  countSignUpAttempt,
  getStoreId,
  isSubdomainAvailable,
  listPlansOnSale,
  mailStores,
  readProgress,
  readReservation,
  type SignUpInput,
  signUp,
} from "../../platform/signups/service"
import { CreateStore } from "../../platform/stores/schemas"
import { EMPTY_FORM, type FormState } from "../kit/form"
import { Column, respondPage } from "../kit/page"
import { type C, isJson, localeOf, pageDefaults, respondMessage } from "./respond"
import { ConfirmForm, FindStoreForm, HIDDEN_PASSWORD, SignUpForm, splitAppearance } from "./signup-forms"
import { t } from "./strings"
import { buildSubdomainScript, toSubdomain } from "./subdomain-script"

/** Adds the pages to the surface. */
export function addSignUpPages(pages: Hono<SurfaceEnv>): void {
  pages.get("/signup", (c) => {
    assertSignUpEnabled(c)
    return signUpPage(c, 200, { ...EMPTY_FORM, values: { plan: c.req.query("plan") ?? "" } })
  })

  pages.get("/signup/check", async (c) => {
    assertSignUpEnabled(c)
    await takeTokens(c.env, c.var.log, addressLimits("signup-check", clientAddress(c), CHECKS_PER_MINUTE))
    const subdomain = c.req.query("subdomain") ?? ""
    const isValid = CreateStore.shape.subdomain.safeParse(subdomain).success
    const available = isValid && (await isSubdomainAvailable(requestContext(c), subdomain))
    return c.json({ data: { subdomain, available } })
  })

  pages.post("/signup", async (c) => {
    assertSignUpEnabled(c)
    const json = isJson(c)
    const read = splitAppearance(await readFields(c))
    const fields = json ? read : await completeForm(c, read)
    const locale = localeOf(c)
    const refuse = (status: 409 | 422 | 429, errors: FormState["errors"], error: string) =>
      signUpPage(
        c,
        status,
        { values: valuesToShow(fields), errors },
        error,
        errors.password ? undefined : fields.password,
      )
    // Bots that fill in the honeypot get the response of a successful sign-up.
    if (typeof fields.website === "string" && fields.website !== "") {
      await countSignUpAttempt(requestContext(c), clientAddress(c))
      const { subdomain = "", email = "" } = valuesToShow(fields)
      return respondReserved(c, subdomain, email, json)
    }
    try {
      const input: SignUpInput = parseInput(
        settingsOf(c.env).TENANCY_SIGNUP_VERIFY_EMAIL ? SignUp : SignUpWithPassword,
        fields,
      )
      const storeId = await signUp(requestContext(c), input, { ip: clientAddress(c), locale })
      if (storeId) {
        await setFirstSignIn(c, storeId, input.require("email"))
        return respondCreated(c, storeId, json)
      }
      return respondReserved(c, input.require("subdomain"), input.require("email"), json)
    } catch (thrown) {
      if (json || !isPlatformRefusal(thrown) || isServerFailure(thrown)) throw thrown
      const message = getMessage(thrown, locale)
      if (thrown.code === "validation_failed" && thrown.facts.fields)
        return refuse(422, labelledMessages(thrown.facts.fields, locale), t("check_fields", locale))
      if (thrown.code === "rate_limited") return refuse(429, {}, message)
      return refuse(409, { subdomain: [message] }, t("check_fields", locale))
    }
  })

  pages.get("/signup/confirm", (c) => {
    assertSignUpEnabled(c)
    return confirmPage(c, 200, parseToken(c.req.query("token")))
  })

  pages.post("/signup/confirm", async (c) => {
    assertSignUpEnabled(c)
    const fields = await readFields(c)
    const json = isJson(c)
    const token = parseToken(c.req.query("token") ?? fields.token)
    try {
      const store = await confirmSignUp(requestContext(c), { token, password: fields.password, ip: clientAddress(c) })
      // The link of a store that already exists does not sign in: the password is required.
      if (store?.createdFor) await setFirstSignIn(c, store.id, store.createdFor)
      if (store) return respondCreated(c, store.id, json)
      if (json) throw invalid("token", "selected")
      return respondLinkExpired(c)
    } catch (thrown) {
      if (json || !(thrown instanceof Refusal)) throw thrown
      if (thrown.code === "validation_failed") return confirmPage(c, 422, token, thrown)
      if (thrown.code === "rate_limited") return confirmPage(c, 429, token, thrown)
      throw thrown
    }
  })

  pages.get("/signup/stores/:id", async (c) => {
    const storeId = c.req.param("id").slice(0, 63)
    const store = await readProgress(requestContext(c), storeId)
    if (!store) throw new Refusal("not_found")
    const locale = localeOf(c)
    if (PREPARING_STATUSES.has(store.status)) {
      const title = t("preparing_title", locale)
      const body = (
        <Column title={title}>
          <div class="progress" />
          <p class="soft">{t("preparing_body", locale)}</p>
        </Column>
      )
      return respondPage(c, 200, { ...pageDefaults(c), title, body, refresh: "2" })
    }
    if (store.status === "failed") {
      return respondMessage(c, 200, { title: t("failed_title", locale), text: t("failed_body", locale) })
    }
    const firstSignIn = store.status === "ready" ? await getFirstSignIn(c, storeId) : undefined
    if (firstSignIn) deleteCookie(c, FIRST_SIGN_IN_COOKIE, { path: "/signup" })
    const admin = `${store.url}/admin${firstSignIn ? `/arrive?${new URLSearchParams({ token: firstSignIn })}` : ""}`
    const links = [
      { href: admin, text: t("admin", locale), isPrimary: true },
      { href: store.url, text: t("view_store", locale) },
      { href: `${store.url}/billing`, text: t("billing", locale) },
    ]
    // Not a redirect: `form-action 'self'` forbids redirecting the confirmation's form to another host.
    const refresh = firstSignIn && `0;url=${admin}`
    return respondMessage(c, 200, { title: t("ready_title", locale), text: store.url, links, refresh })
  })

  pages.get("/sign-in", (c) => findStorePage(c, 200, EMPTY_FORM))

  pages.post("/sign-in", async (c) => {
    const fields = await readFields(c)
    const json = isJson(c)
    const locale = localeOf(c)
    const values = valuesToShow(fields)
    try {
      const { email } = parseInput(EmailOnly, fields)
      await mailStores(requestContext(c), email, { ip: clientAddress(c), locale })
    } catch (thrown) {
      if (json || !(thrown instanceof Refusal)) throw thrown
      if (thrown.code === "validation_failed" && thrown.facts.fields)
        return findStorePage(c, 422, { values, errors: labelledMessages(thrown.facts.fields, locale) })
      if (thrown.code !== "rate_limited") throw thrown
      return findStorePage(c, 429, { values, errors: {} }, getMessage(thrown, locale))
    }
    const { email = "" } = values
    if (json) return c.json({ data: { status: "sent" } }, 202)
    return respondMessage(c, 202, { title: t("check_inbox", locale), text: t("links_sent_body", locale, { email }) })
  })
}

/** @throws Refusal `not_found` while sign-up is disabled */
function assertSignUpEnabled(c: C): void {
  if (!settingsOf(c.env).TENANCY_SIGNUP_ENABLED) throw new Refusal("not_found")
}

/**
 * Completes the fields of a form: an address as people type it, and the password of the refused form. JSON clients
 * send exact values.
 */
async function completeForm(c: C, fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { [HIDDEN_PASSWORD]: encrypted, ...rest } = fields
  const subdomain = typeof rest.subdomain === "string" ? toSubdomain(rest.subdomain) : rest.subdomain
  const password =
    rest.password || (await decryptPassword(settingsOf(c.env), "signup", encrypted, requestContext(c).now))
  return { ...rest, subdomain, password }
}

/** @param password the password to keep while other fields are corrected */
async function signUpPage(c: C, status: 200 | 409 | 422 | 429, form: FormState, error?: string, password?: unknown) {
  const locale = localeOf(c)
  const plans = await listPlansOnSale(requestContext(c))
  const settings = settingsOf(c.env)
  const { CENTRAL_DOMAIN, TENANCY_SIGNUP_VERIFY_EMAIL: verifiesEmail } = settings
  const hiddenPassword =
    !verifiesEmail && typeof password === "string" && password !== ""
      ? await encryptPassword(settings, "signup", password, requestContext(c).now)
      : undefined
  const props = { locale, plans, domainSuffix: `.${CENTRAL_DOMAIN}`, verifiesEmail, form, error, hiddenPassword }
  return respondPage(c, status, {
    ...pageDefaults(c),
    title: t("signup_title", locale),
    isIndexable: status === 200,
    body: <SignUpForm {...props} />,
    script: buildSubdomainScript(locale),
  })
}

/** Availability checks per minute and network. */
const CHECKS_PER_MINUTE = 60

function respondReserved(c: C, subdomain: string, email: string, json: boolean) {
  if (json) return c.json({ data: { subdomain, status: "reserved" } }, 202)
  const locale = localeOf(c)
  const host = getFallbackHost(settingsOf(c.env), subdomain)
  return respondMessage(c, 202, {
    title: t("check_inbox", locale),
    text: t("reserved_body", locale, { host, email }),
  })
}

/** Redirects to the progress page of a store that was created. */
const respondCreated = (c: C, storeId: string, json: boolean) =>
  json ? c.json({ data: { subdomain: storeId, status: "pending" } }, 202) : c.redirect(`/signup/stores/${storeId}`, 303)

/** Has the token that signs the owner in once the store is ready. Only the pages of the sign-up receive it. */
const FIRST_SIGN_IN_COOKIE = "first_sign_in"

/** Lets this browser sign the owner of a store in that it has just created. */
async function setFirstSignIn(c: C, storeId: string, email: string): Promise<void> {
  const settings = settingsOf(c.env)
  const token = await createFirstSignIn(settings, { storeId, email }, requestContext(c).now)
  setCookie(c, FIRST_SIGN_IN_COOKIE, token, {
    path: "/signup",
    httpOnly: true,
    sameSite: "Lax",
    secure: settings.PUBLIC_URL.startsWith("https:"),
    maxAge: FIRST_SIGN_IN_TTL / SECOND,
  })
}

/** Returns the token that this browser got for a store; undefined without a valid one. */
async function getFirstSignIn(c: C, storeId: string): Promise<string | undefined> {
  const token = getCookie(c, FIRST_SIGN_IN_COOKIE)
  const email = token && (await verifyFirstSignIn(settingsOf(c.env), storeId, token, requestContext(c).now))
  return email ? token : undefined
}

/** The page of a mailed link; with the error when its form was refused. */
async function confirmPage(
  c: C,
  status: 200 | 422 | 429,
  token: string,
  refusal?: RefusalOf<"validation_failed" | "rate_limited">,
) {
  const reservation = await readReservation(requestContext(c), token)
  if (!reservation) return respondLinkExpired(c)
  const storeId = getStoreId(reservation)
  if (storeId) return respondCreated(c, storeId, false)
  const { locale } = reservation
  const errors = refusal?.code === "validation_failed" ? refusal.facts.fields : undefined
  const props = {
    locale,
    token,
    reservation,
    host: getFallbackHost(settingsOf(c.env), reservation.subdomain),
    form: { values: {}, errors: errors ? labelledMessages(errors, locale) : {} },
    error: refusal && !errors ? getMessage(refusal, locale) : undefined,
  }
  return respondPage(c, status, {
    ...pageDefaults(c, locale),
    title: t("confirm_title", locale),
    body: <ConfirmForm {...props} />,
  })
}

const MAX_TOKEN_LENGTH = 100

const parseToken = (value: unknown): string => (typeof value === "string" ? value.slice(0, MAX_TOKEN_LENGTH) : "")

/** Responds to a mailed link that is forged, expired or already used for another store. */
function respondLinkExpired(c: C) {
  const locale = localeOf(c)
  return respondMessage(c, 422, {
    title: t("link_expired", locale),
    text: t("link_expired_body", locale),
    links: [{ href: "/signup", text: t("sign_up", locale) }],
  })
}

const PREPARING_STATUSES = new Set(["pending", "provisioning"])

function findStorePage(c: C, status: 200 | 422 | 429, form: FormState, error?: string) {
  const locale = localeOf(c)
  return respondPage(c, status, {
    ...pageDefaults(c),
    title: t("find_store_title", locale),
    body: <FindStoreForm locale={locale} form={form} error={error} />,
  })
}

/**
 * Reads the fields of a form or of a JSON object.
 * @throws Refusal `http_error` 400 for a malformed body, 413 for too many fields, 415 for another media type
 */
async function readFields(c: C): Promise<Record<string, unknown>> {
  if (!isJsonBody(c)) return lastValues(await readForm(c))
  const object = z.record(z.string(), z.unknown()).safeParse(await readJson(c))
  if (!object.success) throw new Refusal("validation_failed", { fields: { body: [{ rule: "object" }] } })
  return object.data
}

const MAX_SHOWN_LENGTH = 500

/** The values with which a refused form is filled in again; never the password. */
const valuesToShow = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === "string" && name !== "password" && name !== HIDDEN_PASSWORD
        ? [[name, value.slice(0, MAX_SHOWN_LENGTH)]]
        : [],
    ),
  )
