// /billing on a store's own host: what the owner's API does, in a browser, also while the store is closed. It works without scripts.
import type { Context } from "hono"
import { FORGOT_PAGE } from "../../content/accounts/mailed-tokens"
import { LogIn } from "../../content/accounts/schemas"
import { endLogin, logIn } from "../../content/accounts/sessions"
import {
  ChooseLanguage,
  chooseLanguage,
  type OwnerCtx,
  orderPlan,
  ownerOf,
  payByCard,
  portalUrl,
  readBilling,
} from "../../content/billing/owner"
import { messageOf, statusOf } from "../../content/envelope"
import { pinnedTo, resolveSite, type SiteCtx } from "../../content/site"
import { userCtxOf } from "../../content/user"
import { lastValues, readForm } from "../../core/http/body"
import { Refusal } from "../../core/http/refusal"
import { createSurface, requestContext, type SurfaceEnv, type SurfaceVariables } from "../../core/http/surface"
import { acceptedLocale } from "../../core/i18n/locale"
import { longDate, money } from "../../lib/intl"
import { RequestOrder } from "../../platform/orders/schemas"
import { withdrawOrder } from "../../platform/orders/service"
import { takeSupport } from "../../platform/support/service"
import { EMPTY, Faults, Field, type Filled, Languages } from "../platform/forms"
import { page, type Sheet } from "../platform/page"
import { beginSession, endSession, isOwnForm, SESSION_TTL, sessionToken } from "./session"
import { word } from "./strings"
import { BillingView } from "./view"

interface OwnerEnv extends SurfaceEnv {
  Variables: SurfaceVariables & { ctx: SiteCtx }
}

type C = Context<OwnerEnv>

export const ownerPages = createSurface<OwnerEnv>({
  name: "owner",
  facts: (c) => ({ site: c.var.ctx?.site.id }),
  gate: [
    async (c, next) => {
      const visitor = requestContext(c)
      const { site } = await resolveSite(visitor, c.req.url, undefined)
      if (!site.store) throw new Refusal("not_found")
      const locale = site.language ?? acceptedLocale(c.req.header("Accept-Language"))
      c.set("ctx", { ...pinnedTo(visitor, site), site, key: null, locale })
      await next()
    },
  ],
  maxBody: 20_000,
  refuse: (c, refusal) => {
    const locale = acceptedLocale(c.req.header("Accept-Language"))
    const text = refusal.code === "store_unavailable" ? word("unavailable", locale) : messageOf(refusal, locale)
    return c.text(text, statusOf(refusal))
  },
})

const frame = (c: C): Omit<Sheet, "title" | "body"> => {
  const { ctx } = c.var
  return {
    locale: ctx.locale,
    brand: ctx.site.store?.name ?? "",
    home: "/",
    skip: word("skip", ctx.locale),
    foot: ctx.settings.APP_NAME,
  }
}

/** Returns null for a session that has ended, or was never one of the staff. */
function nullIfRefused(thrown: unknown): null {
  if (thrown instanceof Refusal && (thrown.code === "unauthenticated" || thrown.code === "forbidden")) return null
  throw thrown
}

/** Like `nullIfRefused`. While a store is being moved its logins cannot be deleted: without the cookie this one ends by its time. */
function nullIfGone(thrown: unknown): null {
  if (thrown instanceof Refusal && thrown.code === "store_unavailable") return null
  return nullIfRefused(thrown)
}

/** Who is signed in as one of the staff; null for everybody else. */
async function signedIn(c: C): Promise<OwnerCtx | null> {
  const token = sessionToken(c)
  return token ? userCtxOf(c.var.ctx, `Bearer ${token}`).then(ownerOf).catch(nullIfRefused) : null
}

function signInPage(c: C, status: 200 | 401 | 403 | 422 | 429, filled: Filled, fault?: string) {
  const { locale } = c.var.ctx
  const field = { locale, filled }
  return page(c, status, {
    ...frame(c),
    title: word("billing", locale),
    body: (
      <div class="shell narrow page">
        <h1>{word("billing", locale)}</h1>
        <p class="lede">{word("sign_in_body", locale)}</p>
        <Faults text={fault} />
        <form class="sheet" method="post" action="/billing/sign-in">
          <Field {...field} name="email" label="email" type="email" autocomplete="username" />
          <Field {...field} name="password" label="password" type="password" autocomplete="current-password" />
          <button type="submit">{word("sign_in", locale)}</button>
          <a href={FORGOT_PAGE}>{word("forgot", locale)}</a>
        </form>
      </div>
    ),
  })
}

async function billingPage(c: C, owner: OwnerCtx, status: 200 | 409 | 422 | 429 | 502, fault?: string) {
  const { locale, settings } = c.var.ctx
  const billing = await readBilling(owner)
  const thanks = c.req.query("paid") ? { text: word("thanks", locale), bad: false } : undefined
  const notice = fault === undefined ? thanks : { text: fault, bad: true }
  return page(c, status, {
    ...frame(c),
    title: word("billing", locale),
    body: (
      <>
        <BillingView billing={billing} settings={settings} locale={locale} notice={notice} />
        <div class="shell page">
          <form class="row ask" method="post" action="/billing/language">
            <Languages locale={locale} filled={EMPTY} />
            <button class="quiet" type="submit">
              {word("save", locale)}
            </button>
          </form>
          <form method="post" action="/billing/sign-out">
            <button class="plain" type="submit">
              {word("sign_out", locale)}
            </button>
          </form>
        </div>
      </>
    ),
  })
}

ownerPages.get("/billing", async (c) => {
  const owner = await signedIn(c)
  return owner ? billingPage(c, owner, 200) : signInPage(c, 200, EMPTY)
})

ownerPages.post("/billing/sign-in", async (c) => {
  const { ctx } = c.var
  const given = lastValues(await readForm(c))
  const email = (given.email ?? "").slice(0, 190)
  const filled = { values: { email }, faults: {} }
  if (!isOwnForm(c)) return signInPage(c, 403, filled, word("elsewhere", ctx.locale))
  const input = LogIn.safeParse(given)
  if (!input.success) return signInPage(c, 422, filled, messageOf(new Refusal("wrong_credentials"), ctx.locale))
  try {
    const { token } = await logIn(ctx, input.data, SESSION_TTL)
    await ownerOf(await userCtxOf(ctx, `Bearer ${token}`))
    beginSession(c, ctx.settings, token)
    return c.redirect("/billing", 303)
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    if (thrown.code === "forbidden") return signInPage(c, 403, filled, word("not_staff", ctx.locale))
    return signInPage(c, thrown.code === "rate_limited" ? 429 : 422, filled, messageOf(thrown, ctx.locale))
  }
})

ownerPages.post("/billing/sign-out", async (c) => {
  if (isOwnForm(c)) {
    const token = sessionToken(c)
    endSession(c)
    if (token) await userCtxOf(c.var.ctx, `Bearer ${token}`).then(endLogin).catch(nullIfGone)
  }
  return c.redirect("/billing", 303)
})

/** An operator's link to a store: it counts once, for a minute, and signs in as the store's staff for a quarter of an hour. */
ownerPages.get("/billing/support", async (c) => {
  const { ctx } = c.var
  const { site } = ctx
  try {
    const { token, endsAt } = await takeSupport(ctx, site.id, c.req.query("token")?.slice(0, 100) ?? "")
    beginSession(c, ctx.settings, token, endsAt.getTime() - ctx.now.getTime())
    return c.redirect("/billing", 303)
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    if (thrown.code === "support_over") return signInPage(c, 403, EMPTY, word("support_over", ctx.locale))
    if (thrown.code === "forbidden") return signInPage(c, 403, EMPTY, word("not_staff", ctx.locale))
    throw thrown
  }
})

/** Does what a form asks for, and shows the page again, with the refusal if there is one. */
async function act(c: C, work: (owner: OwnerCtx, given: Record<string, unknown>) => Promise<Response>) {
  const { locale } = c.var.ctx
  // Read first: while a slow body arrives the session may end, or the store may be deleted and its name taken by somebody else.
  const given = lastValues(await readForm(c))
  c.set("ctx", { ...c.var.ctx, now: new Date() })
  const owner = await signedIn(c)
  if (!owner) return signInPage(c, 401, EMPTY)
  if (!isOwnForm(c)) return billingPage(c, owner, 409, word("elsewhere", locale))
  try {
    return await work(owner, given)
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code === "server_error") throw thrown
    const status = statusOf(thrown)
    const shown = status === 422 || status === 429 || status === 502 ? status : 409
    return billingPage(c, owner, shown, messageOf(thrown, locale))
  }
}

ownerPages.post("/billing/orders", (c) =>
  act(c, async (owner, given) => {
    const input = RequestOrder.safeParse({ plan: given.plan, note: given.note || null })
    if (!input.success) throw new Refusal("validation_failed")
    await orderPlan(owner, input.data)
    return c.redirect("/billing", 303)
  }),
)

ownerPages.post("/billing/orders/:reference/withdraw", (c) =>
  act(c, async (owner) => {
    await withdrawOrder(owner, owner.storeId, c.req.param("reference"))
    return c.redirect("/billing", 303)
  }),
)

ownerPages.post("/billing/checkout", (c) =>
  act(c, async (owner, given) => leadTo(c, await payByCard(owner, { plan: String(given.plan ?? "").slice(0, 63) }))),
)

ownerPages.post("/billing/language", (c) =>
  act(c, async (owner, given) => {
    const input = ChooseLanguage.safeParse(given)
    if (!input.success) throw new Refusal("validation_failed")
    await chooseLanguage(owner, input.data)
    return c.redirect("/billing", 303)
  }),
)

ownerPages.post("/billing/portal", (c) => act(c, async (owner) => leadTo(c, await portalUrl(owner))))

/** A step between: a form's answer may not lead to another host by itself, as the page's policy has it. */
function leadTo(c: C, url: string) {
  const { locale } = c.var.ctx
  return page(c, 200, {
    ...frame(c),
    title: word("go_on", locale),
    refresh: `0;url=${url}`,
    body: (
      <div class="shell narrow page">
        <h1>{word("go_on", locale)}</h1>
        <p class="row">
          <a class="button" href={url}>
            {word("go_on", locale)}
          </a>
        </p>
      </div>
    ),
  })
}

ownerPages.get("/billing/receipts/:number", async (c) => {
  const { locale, site, settings } = c.var.ctx
  const owner = await signedIn(c)
  if (!owner) return signInPage(c, 401, EMPTY)
  const { payments, orders } = await readBilling(owner)
  const payment = payments.find(({ number }) => number === c.req.param("number"))
  if (!payment) throw new Refusal("not_found")
  const order = orders.find(({ reference }) => reference === payment.orderReference)
  const rows = [
    [word("date", locale), longDate(payment.paidAt, locale)],
    [word("receipt_for", locale), `${site.store?.name} · ${site.hostname}`],
    [word("receipt_plan", locale), order?.planName ?? payment.plan ?? ""],
    [word("reference", locale), payment.orderReference ?? ""],
    [word("amount", locale), money(payment.amountCents, payment.currency, locale)],
  ]
  return page(c, 200, {
    ...frame(c),
    title: `${word("number", locale)} ${payment.number}`,
    body: (
      <div class="shell narrow page">
        <article class="receipt">
          <p class="soft">{settings.APP_NAME}</p>
          <h1>
            {word("number", locale)} {payment.number}
          </h1>
          <table>
            <tbody>
              {rows.map(([label, value]) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td class="num">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </article>
        <p class="noprint row">
          <a href="/billing">{word("back", locale)}</a>
        </p>
      </div>
    ),
  })
})
