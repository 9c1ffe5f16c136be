// Serves the pages of customers' accounts with the services of the content API. The session is a login token in a
// cookie; forms only count from a page of the same host.

import { availableApps } from "../../../apps/registry"
import { updatePassword } from "../../../content/accounts/passwords"
import { updateMe } from "../../../content/accounts/profile"
import { register } from "../../../content/accounts/register"
import { Register, UpdateMe, UpdatePassword } from "../../../content/accounts/schemas"
import { logIn, parseLogIn, revokeSession } from "../../../content/accounts/sessions"
import { accountMessage } from "../../../content/accounts/strings"
import { countHashing } from "../../../content/rate-limits"
import { findPasswordErrors } from "../../../core/auth/common-passwords"
import { parseInput } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { fullName } from "../../../lib/full-name"
import { ACCOUNT } from "../../paths"
import type { Visit, VisitorPage } from "../page"
import { deleteSessionToken, SESSION_TTL, setSessionToken } from "../session"
import { deletion } from "./deletion"
import { EMPTY, SIGN_IN, signOut, submit, toTranslatedText } from "./forms"
import { ACCOUNT_DELETED, PASSWORD_CHANGED, SAVED } from "./strings"
import { messagePage, overviewPage, passwordPage, profilePage, registerPage, signInPage } from "./views"

function startSession(visit: Visit, token: string): Response {
  setSessionToken(visit.ctx.settings, visit.cookies, token)
  return visit.redirect(ACCOUNT)
}

const signIn: VisitorPage = {
  path: "account/sign-in",
  get: (visit) => {
    const { searchParams } = visit.url
    const text = searchParams.has("changed") ? PASSWORD_CHANGED : searchParams.has("deleted") ? ACCOUNT_DELETED : null
    return visit.render(signInPage(text ? { ...EMPTY, message: { text: toTranslatedText(text) } } : EMPTY))
  },
  post: (visit, fields) =>
    submit(visit, fields, {
      page: signInPage,
      run: async () => {
        const { token } = await logIn(visit.ctx, parseLogIn(fields), SESSION_TTL)
        return startSession(visit, token)
      },
    }),
}

const registration: VisitorPage = {
  path: "account/register",
  get: (visit) => visit.render(registerPage(EMPTY)),
  post: (visit, fields) =>
    submit(visit, fields, {
      page: registerPage,
      async run() {
        const { name, email, password = "" } = fields
        const { ctx } = visit
        const hasToConfirm = ctx.site.api.emailVerification
        const message = accountMessage(hasToConfirm ? "registered_unverified" : "registered", ctx.locale)
        // Only bots fill in the hidden field. They get the same response as people.
        if (fields.website) return visit.render(messagePage(message, email ?? ""))
        const values = { name, email, password, password_confirmation: password }
        const input = parseInput(Register, values, await findPasswordErrors(ctx.env, fields))
        const hashing = countHashing(ctx, "register", { ip: ctx.address ?? "unknown" })
        const token = await register(ctx, input, hashing, SESSION_TTL)
        return token ? startSession(visit, token) : visit.render(messagePage(message, email ?? ""))
      },
    }),
}

const end: VisitorPage = {
  path: "account/sign-out",
  async post(visit) {
    if (visit.ctx.caller.token) {
      await revokeSession(visit.ctx).catch((thrown) => {
        if (!(thrown instanceof Refusal) || thrown.code !== "unauthenticated") throw thrown
      })
    }
    return signOut(visit)
  },
}

const overview: VisitorPage = {
  path: "account",
  async get(visit) {
    const { user } = await visit.readAsUser([])
    if (!user) return visit.redirect(SIGN_IN)
    const enabled = visit.ctx.site.store?.apps ?? []
    const links = availableApps.flatMap(({ slug, visitorPages }) =>
      enabled.includes(slug) ? (visitorPages?.accountLinks ?? []) : [],
    )
    return visit.render(overviewPage(fullName(user) || user.email, links))
  },
}

const profile: VisitorPage = {
  path: "account/profile",
  async get(visit) {
    const { user } = await visit.readAsUser([])
    if (!user) return visit.redirect(SIGN_IN)
    const values = { name: fullName(user), email: user.email, phone: user.phone ?? "" }
    const isSaved = visit.url.searchParams.has("saved")
    return visit.render(
      profilePage({
        form: () => ({ values, errors: {} }),
        message: isSaved ? { text: toTranslatedText(SAVED) } : undefined,
      }),
    )
  },
  post: (visit, fields) =>
    submit(visit, fields, {
      page: profilePage,
      async run() {
        const { ctx } = visit
        const { name = "", email, phone, current_password } = fields
        const [first = "", ...rest] = name.trim().split(/\s+/)
        // An empty last name of the API leaves the stored one, so a name of one word is sent as a whole.
        const names = rest.length ? { first_name: first, last_name: rest.join(" ") } : { name }
        const input = parseInput(UpdateMe, { ...names, email, phone, current_password: current_password || null })
        const subject = { ip: ctx.address ?? "unknown", account: ctx.caller.token?.hash }
        await updateMe(ctx, input, current_password ? countHashing(ctx, "password", subject) : Promise.resolve(null))
        return visit.redirect(`${ACCOUNT}/profile?saved=1`)
      },
    }),
}

const changePassword: VisitorPage = {
  path: "account/password",
  async get(visit) {
    const { user } = await visit.readAsUser([])
    return user ? visit.render(passwordPage(EMPTY)) : visit.redirect(SIGN_IN)
  },
  post: (visit, fields) =>
    submit(visit, fields, {
      page: passwordPage,
      async run() {
        const { ctx } = visit
        const { current_password, password } = fields
        const input = parseInput(
          UpdatePassword,
          { current_password, password },
          await findPasswordErrors(ctx.env, fields),
        )
        const subject = { ip: ctx.address ?? "unknown", account: ctx.caller.token?.hash }
        await updatePassword(ctx, input, countHashing(ctx, "password", subject, 2))
        deleteSessionToken(ctx.settings, visit.cookies)
        return visit.redirect(`${SIGN_IN}?changed=1`)
      },
    }),
}

export const accountPages: readonly VisitorPage[] = [
  overview,
  signIn,
  registration,
  end,
  profile,
  changePassword,
  deletion,
]
