// The pages that mailed links lead to, on the site's own host: an address is confirmed, a new password chosen; and the one that asks
// for such a mail. They are part of no API, so neither its switch nor its key closes them.
import type { Context } from "hono"
import * as z from "zod"
import { FORGOT_PAGE, PAGES } from "../../content/accounts/mailed-tokens"
import { forgotPassword, resetPassword } from "../../content/accounts/passwords"
import { EmailOnly, ResetPassword } from "../../content/accounts/schemas"
import { accountMessage } from "../../content/accounts/strings"
import { verifyEmail } from "../../content/accounts/verification"
import { messageOf, statusOf } from "../../content/envelope"
import { siteName } from "../../content/mails/account"
import { countHashing } from "../../content/rate-limits"
import { pinnedTo, resolveSite, type SiteCtx } from "../../content/site"
import { lastValues, readForm } from "../../core/http/body"
import { clientIp } from "../../core/http/http"
import { Refusal } from "../../core/http/refusal"
import { accessState } from "../../core/http/store-access"
import { createSurface, requestContext, type SurfaceEnv, type SurfaceVariables } from "../../core/http/surface"
import { fieldFaults } from "../../core/http/validation"
import { fieldMessages } from "../../core/i18n/field-messages"
import { acceptedLocale } from "../../core/i18n/locale"
import { page } from "./layout"
import { word } from "./strings"

interface PagesEnv extends SurfaceEnv {
  Variables: SurfaceVariables & { ctx: SiteCtx }
}

const Link = z.object({ email: z.string().max(190), token: z.string().max(255) })

export const accountPages = createSurface<PagesEnv>({
  name: "account",
  facts: (c) => ({ site: c.var.ctx?.site.id }),
  gate: [
    async (c, next) => {
      const visitor = requestContext(c)
      const { site } = await resolveSite(visitor, c.req.url, undefined)
      // Whoever has to pay for a closed store can log in there, so a mailed link has to lead somewhere.
      const state = site.store ? accessState(site.store.status) : "serving"
      if (state !== "serving" && state !== "suspended") throw new Refusal("store_unavailable")
      c.set("ctx", {
        ...pinnedTo(visitor, site),
        site,
        key: null,
        locale: acceptedLocale(c.req.header("Accept-Language")),
      })
      await next()
    },
  ],
  maxBody: 10_000,
  refuse: (c, refusal) =>
    c.text(messageOf(refusal, acceptedLocale(c.req.header("Accept-Language"))), statusOf(refusal)),
})

accountPages
  .get(PAGES.verify, async (c) => {
    const { ctx } = c.var
    const link = Link.safeParse(c.req.query())
    if (!link.success || !(await verifyEmail(ctx, link.data))) return deadLink(c)
    return page(c, 200, { ...frame(ctx, "confirmed"), children: <p>{word("confirmed_body", ctx.locale)}</p> })
  })
  .get(FORGOT_PAGE, (c) => forgotForm(c, 200))
  .post(FORGOT_PAGE, async (c) => {
    const { ctx } = c.var
    const given = lastValues(await readForm(c))
    const input = EmailOnly.safeParse(given)
    if (!input.success) {
      const messages = fieldMessages(fieldFaults(input.error, given), ctx.locale)
      return forgotForm(c, 422, Object.values(messages).flat()[0])
    }
    try {
      await forgotPassword(ctx, input.data)
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || thrown.code !== "rate_limited") throw thrown
      return forgotForm(c, 429, messageOf(thrown, ctx.locale))
    }
    return page(c, 200, { ...frame(ctx, "forgot"), children: <p>{accountMessage("reset_mailed", ctx.locale)}</p> })
  })
  .get(PAGES.reset, (c) => {
    const link = Link.safeParse(c.req.query())
    return link.success ? passwordForm(c, 200, link.data) : deadLink(c)
  })
  .post(PAGES.reset, async (c) => {
    const given = lastValues(await readForm(c))
    // The link may have expired while the form arrived.
    const ctx = { ...c.var.ctx, now: new Date() }
    const link = Link.safeParse(given)
    if (!link.success) return deadLink(c)
    const input = ResetPassword.safeParse(given)
    if (!input.success) {
      const messages = fieldMessages(fieldFaults(input.error, given), ctx.locale)
      return passwordForm(c, 422, link.data, Object.values(messages).flat()[0])
    }
    try {
      await resetPassword(ctx, input.data, countHashing(ctx, "reset", { ip: clientIp(c) }))
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      if (thrown.code === "reset_token_invalid") return deadLink(c)
      return passwordForm(c, 429, link.data, messageOf(thrown, ctx.locale))
    }
    return page(c, 200, { ...frame(ctx, "changed"), children: <p>{word("changed_body", ctx.locale)}</p> })
  })

const frame = (ctx: SiteCtx, title: Parameters<typeof word>[0]) => ({
  locale: ctx.locale,
  site: siteName(ctx),
  title: word(title, ctx.locale),
})

function deadLink(c: Context<PagesEnv>) {
  const { ctx } = c.var
  return page(c, 422, { ...frame(ctx, "dead_link"), children: <p>{word("dead_link_body", ctx.locale)}</p> })
}

/** @param fault why no mail was sent for what was typed before */
function forgotForm(c: Context<PagesEnv>, status: 200 | 422 | 429, fault?: string) {
  const { ctx } = c.var
  return page(c, status, {
    ...frame(ctx, "forgot"),
    children: (
      <form method="post" action={FORGOT_PAGE}>
        {fault && (
          <p class="bad" role="alert">
            {fault}
          </p>
        )}
        <p>{word("forgot_body", ctx.locale)}</p>
        <label>
          {word("email", ctx.locale)}
          <input type="email" name="email" autocomplete="username" maxlength={190} required />
        </label>
        <button type="submit">{word("send", ctx.locale)}</button>
      </form>
    ),
  })
}

/** @param fault what was wrong with what was typed before */
function passwordForm(c: Context<PagesEnv>, status: 200 | 422 | 429, link: z.output<typeof Link>, fault?: string) {
  const { ctx } = c.var
  return page(c, status, {
    ...frame(ctx, "choose"),
    children: (
      <form method="post" action={PAGES.reset}>
        {fault && (
          <p class="bad" role="alert">
            {fault}
          </p>
        )}
        <input type="hidden" name="email" value={link.email} />
        <input type="hidden" name="token" value={link.token} />
        <label>
          {word("password", ctx.locale)}
          <input type="password" name="password" autocomplete="new-password" minlength={6} required />
        </label>
        <label>
          {word("again", ctx.locale)}
          <input type="password" name="password_confirmation" autocomplete="new-password" minlength={6} required />
        </label>
        <button type="submit">{word("save", ctx.locale)}</button>
      </form>
    ),
  })
}
