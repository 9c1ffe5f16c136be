// The platform's own pages on the central host: the front page, signing up, and where one's stores are. What the forms do is to be
// had as JSON, too.
import type { Context } from "hono"
import * as z from "zod"
import { isJson as isJsonBody, lastValues, readForm, readJson } from "../../core/http/body"
import { hostOf } from "../../core/http/host"
import { clientIp } from "../../core/http/http"
import { addressLimits, spend } from "../../core/http/rate-limit"
import { invalid, Refusal } from "../../core/http/refusal"
import { createSurface, requestContext, type SurfaceEnv } from "../../core/http/surface"
import { fieldFaults } from "../../core/http/validation"
import { fieldMessages } from "../../core/i18n/field-messages"
import { acceptedLocale } from "../../core/i18n/locale"
import { settingsOf } from "../../env"
import { messageFor, refuse as refuseAsJson } from "../../platform/envelope"
import { EmailOnly, SignUp, SignUpAtOnce } from "../../platform/signups/schemas"
import {
  confirmSignUp,
  countTry,
  isFree,
  mailStores,
  plansOnSale,
  readProgress,
  readReservation,
  signUp,
  storeOf,
} from "../../platform/signups/service"
import { CreateStore } from "../../platform/stores/schemas"
import { ConfirmForm, EMPTY, type Filled, readLook, SignInForm, SignUpForm } from "./forms"
import { FrontPage } from "./front-page"
import { page, type Sheet } from "./page"
import { type Word, word } from "./strings"
import { checkScript } from "./subdomain-check"

type C = Context<SurfaceEnv>

const localeOf = (c: C) => acceptedLocale(c.req.header("Accept-Language"))

/** Whether the caller speaks JSON: it sends some, or asks for nothing else. */
const isJson = (c: C): boolean => isJsonBody(c) || /^application\/json\b/i.test(c.req.header("Accept") ?? "")

/** The statuses of pages that say why a request was refused; 422 for the rest. */
const STATUS: { [code: string]: 404 | 429 | 500 } = { not_found: 404, rate_limited: 429, server_error: 500 }

export const front = createSurface<SurfaceEnv>({
  name: "front",
  gate: [
    async (c, next) => {
      if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
      await next()
    },
  ],
  maxBody: 20_000,
  refuse: (c, refusal) => {
    if (isJson(c) || c.req.path === "/signup/check") return refuseAsJson(c, refusal)
    const locale = localeOf(c)
    const isCut = refusal.code === "http_error" && refusal.facts.status === 400
    const status = STATUS[refusal.code] ?? (isCut ? 400 : 422)
    const text = refusal.code === "not_found" ? word("not_found", locale) : messageFor(refusal, locale)
    return page(c, status, message(c, { title: text }))
  },
})

/** What every page of the platform has. */
const frame = (c: C, locale = localeOf(c)): Omit<Sheet, "title" | "body"> => {
  const { APP_NAME: brand, TENANCY_SIGNUP_ENABLED: canSignUp } = settingsOf(c.env)
  const nav = [
    ...(canSignUp ? [{ href: "/signup", text: word("sign_up", locale) }] : []),
    { href: "/sign-in", text: word("sign_in", locale) },
  ]
  return { locale, brand, home: "/", nav, skip: word("skip", locale), foot: brand }
}

/** A page that says one thing. */
const message = (
  c: C,
  { title, text, links = [] }: { title: string; text?: string; links?: { href: string; text: string }[] },
): Sheet => ({
  ...frame(c),
  title,
  body: (
    <div class="shell narrow page">
      <h1>{title}</h1>
      {text && <p class="lede">{text}</p>}
      <div class="row">
        {(links.length ? links : [{ href: "/", text: word("back", localeOf(c)) }]).map(({ href, text }) => (
          <a class="button quiet" href={href}>
            {text}
          </a>
        ))}
      </div>
    </div>
  ),
})

front.get("/", async (c) => {
  const locale = localeOf(c)
  const plans = await plansOnSale(requestContext(c))
  const canSignUp = settingsOf(c.env).TENANCY_SIGNUP_ENABLED
  const shown = frame(c)
  return page(c, 200, {
    ...shown,
    title: shown.brand,
    indexed: true,
    description: word("hero_body", locale),
    body: <FrontPage plans={plans} locale={locale} canSignUp={canSignUp} />,
  })
})

/** @throws Refusal `not_found` while customers cannot sign up by themselves */
function assertOpen(c: C): void {
  if (!settingsOf(c.env).TENANCY_SIGNUP_ENABLED) throw new Refusal("not_found")
}

async function signUpPage(c: C, status: 200 | 409 | 422 | 429, filled: Filled, fault?: string) {
  const locale = localeOf(c)
  const plans = await plansOnSale(requestContext(c))
  const { CENTRAL_DOMAIN, TENANCY_SIGNUP_VERIFY_EMAIL: isVerified } = settingsOf(c.env)
  const form = { locale, plans, domain: `.${CENTRAL_DOMAIN}`, isVerified, filled, fault }
  return page(c, status, {
    ...frame(c),
    title: word("signup_title", locale),
    body: <SignUpForm {...form} />,
    script: checkScript(locale),
  })
}

front.get("/signup", (c) => {
  assertOpen(c)
  return signUpPage(c, 200, { ...EMPTY, values: { plan: c.req.query("plan") ?? "" } })
})

/** Looks at a subdomain a minute from one address. */
const CHECKS = 60

front.get("/signup/check", async (c) => {
  assertOpen(c)
  await spend(c.env, c.var.log, addressLimits("signup-check", clientIp(c), CHECKS))
  const subdomain = c.req.query("subdomain") ?? ""
  const isName = CreateStore.shape.subdomain.safeParse(subdomain).success
  return c.json({ data: { subdomain, available: isName && (await isFree(requestContext(c), subdomain)) } })
})

front.post("/signup", async (c) => {
  assertOpen(c)
  const given = readLook(await bodyOf(c))
  const json = isJson(c)
  const locale = localeOf(c)
  const filled = (faults: Filled["faults"]): Filled => ({ values: texts(given), faults })
  const input = (settingsOf(c.env).TENANCY_SIGNUP_VERIFY_EMAIL ? SignUp : SignUpAtOnce).safeParse(given)
  // Who fills in what nobody sees is told that all went well.
  const isTrapped = typeof given.website === "string" && given.website !== ""
  if (isTrapped) {
    await countTry(requestContext(c), clientIp(c))
    const { subdomain = "", email = "" } = texts(given)
    return reserved(c, subdomain, email, json)
  }
  if (!input.success) {
    const refusal = new Refusal("validation_failed", { fields: fieldFaults(input.error, given) })
    if (json) throw refusal
    return signUpPage(c, 422, filled(fieldMessages(refusal.facts.fields ?? {}, locale)), word("fix", locale))
  }
  try {
    const store = await signUp(requestContext(c), input.data, { ip: clientIp(c), locale })
    return store ? created(c, store, json) : reserved(c, input.data.subdomain, input.data.email, json)
  } catch (thrown) {
    if (json || !(thrown instanceof Refusal) || thrown.code === "server_error") throw thrown
    const { fields } = thrown.facts
    if (fields) return signUpPage(c, 422, filled(fieldMessages(fields, locale)), word("fix", locale))
    const text = messageFor(thrown, locale)
    if (thrown.code === "rate_limited") return signUpPage(c, 429, filled({}), text)
    return signUpPage(c, 409, filled({ subdomain: [text] }), word("fix", locale))
  }
})

function reserved(c: C, subdomain: string, email: string, json: boolean) {
  if (json) return c.json({ data: { subdomain, status: "reserved" } }, 202)
  const locale = localeOf(c)
  const host = `${subdomain}.${settingsOf(c.env).CENTRAL_DOMAIN}`
  return page(
    c,
    202,
    message(c, { title: word("reserved_title", locale), text: word("reserved_body", locale, { host, email }) }),
  )
}

/** Leads to the progress page of a store that was created. */
const created = (c: C, store: string, json: boolean) =>
  json ? c.json({ data: { subdomain: store, status: "pending" } }, 202) : c.redirect(`/signup/stores/${store}`, 303)

front.get("/signup/confirm", (c) => {
  assertOpen(c)
  return confirmPage(c, 200, tokenOf(c.req.query("token")))
})

front.post("/signup/confirm", async (c) => {
  assertOpen(c)
  const given = await bodyOf(c)
  const json = isJson(c)
  const token = tokenOf(c.req.query("token") ?? given.token)
  try {
    const store = await confirmSignUp(requestContext(c), { token, password: given.password, ip: clientIp(c) })
    if (store) return created(c, store, json)
    if (json) throw invalid("token", "selected")
    return deadLink(c)
  } catch (thrown) {
    if (json || !(thrown instanceof Refusal)) throw thrown
    if (thrown.code === "validation_failed") return confirmPage(c, 422, token, thrown)
    if (thrown.code === "rate_limited") return confirmPage(c, 429, token, thrown)
    throw thrown
  }
})

/** The page behind a mailed link, again with a message when it was refused. */
async function confirmPage(c: C, status: 200 | 422 | 429, token: string, refusal?: Refusal) {
  const found = await readReservation(requestContext(c), token)
  if (!found) return deadLink(c)
  const store = storeOf(found)
  if (store) return created(c, store, false)
  const { locale } = found
  const fields = refusal?.facts.fields
  const form = {
    locale,
    token,
    reservation: found,
    host: `${found.subdomain}.${settingsOf(c.env).CENTRAL_DOMAIN}`,
    filled: { values: {}, faults: fields ? fieldMessages(fields, locale) : {} },
    fault: refusal && !fields ? messageFor(refusal, locale) : undefined,
  }
  return page(c, status, {
    ...frame(c, locale),
    title: word("confirm_title", locale),
    body: <ConfirmForm {...form} />,
  })
}

const tokenOf = (given: unknown): string => (typeof given === "string" ? given.slice(0, 100) : "")

/** What a link that was made up, or ended, leads to. */
function deadLink(c: C) {
  const locale = localeOf(c)
  const links = [{ href: "/signup", text: word("sign_up", locale) }]
  return page(c, 422, message(c, { title: word("dead_title", locale), text: word("dead_body", locale), links }))
}

const PREPARING = new Set(["pending", "provisioning"])

front.get("/signup/stores/:id", async (c) => {
  const store = await readProgress(requestContext(c), c.req.param("id").slice(0, 63))
  if (!store) throw new Refusal("not_found")
  const locale = localeOf(c)
  if (PREPARING.has(store.status)) {
    const title = word("making_title", locale)
    const body = (
      <div class="shell narrow page">
        <h1>{title}</h1>
        <div class="bar" />
        <p class="soft">{word("making_body", locale)}</p>
      </div>
    )
    return page(c, 200, { ...frame(c), title, body, refresh: "2" })
  }
  if (store.status === "failed") {
    return page(c, 200, message(c, { title: word("failed_title", locale), text: word("failed_body", locale) }))
  }
  const links = [
    { href: store.url, text: word("visit", locale) },
    { href: `${store.url}/billing`, text: word("manage", locale) },
  ]
  return page(c, 200, message(c, { title: word("ready_title", locale), text: store.url, links }))
})

front.get("/sign-in", (c) => signInPage(c, 200, EMPTY))

front.post("/sign-in", async (c) => {
  const given = await bodyOf(c)
  const json = isJson(c)
  const locale = localeOf(c)
  const input = EmailOnly.safeParse(given)
  if (!input.success) {
    const refusal = new Refusal("validation_failed", { fields: fieldFaults(input.error, given) })
    if (json) throw refusal
    return signInPage(c, 422, { values: texts(given), faults: fieldMessages(refusal.facts.fields ?? {}, locale) })
  }
  const { email } = input.data
  try {
    await mailStores(requestContext(c), email, { ip: clientIp(c), locale })
  } catch (thrown) {
    if (json || !(thrown instanceof Refusal) || thrown.code !== "rate_limited") throw thrown
    return signInPage(c, 429, { values: { email }, faults: {} }, messageFor(thrown, locale))
  }
  if (json) return c.json({ data: { status: "sent" } }, 202)
  return page(c, 202, message(c, { title: word("reserved_title", locale), text: word("sent_body", locale, { email }) }))
})

function signInPage(c: C, status: 200 | 422 | 429, filled: Filled, fault?: string) {
  const locale = localeOf(c)
  return page(c, status, {
    ...frame(c),
    title: word("signin_title" satisfies Word, locale),
    body: <SignInForm locale={locale} filled={filled} fault={fault} />,
  })
}

/**
 * The fields of a form or of a JSON object.
 * @throws Refusal `http_error` 400 for a malformed body, 413 for too many fields, 415 for another media type
 */
async function bodyOf(c: C): Promise<Record<string, unknown>> {
  if (!isJsonBody(c)) return lastValues(await readForm(c))
  const object = z.record(z.string(), z.unknown()).safeParse(await readJson(c))
  if (!object.success) throw new Refusal("validation_failed", { fields: { body: [{ rule: "object" }] } })
  return object.data
}

/** What was typed, to be shown again; a password never is. */
const texts = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      typeof value === "string" && name !== "password" ? [[name, value.slice(0, 500)]] : [],
    ),
  )
