// Accounts: registering, logging in and out, passwords, the user's own profile.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { isMultipart } from "../../core/http/body"
import { clientIp } from "../../core/http/http"
import { httpFault } from "../../core/http/refusal"
import { body, describe } from "../../core/http/route"
import { single } from "../envelope"
import { countAttempt, countHashing } from "../rate-limits"
import { singleOf } from "../response-schemas"
import type { ContentEnv } from "../types"
import { unverifiedUser, user } from "../user"
import { countUpload, readAvatar, updateAvatar } from "./avatar"
import { forgotPassword, resetPassword, updatePassword } from "./passwords"
import { readMe, updateMe } from "./profile"
import { emailExists, register } from "./register"
import { EmailOnly, LogIn, Me, Register, ResetPassword, Session, UpdateMe, UpdatePassword } from "./schemas"
import { logIn, logOut } from "./sessions"
import { accountMessage } from "./strings"
import { resendVerification } from "./verification"

const Nothing = z.null()

/** An answer that is but a message. */
const said = (c: Context<ContentEnv>, message: Parameters<typeof accountMessage>[0], status?: 201): Promise<Response> =>
  single(c, null, { status, message: accountMessage(message, c.var.ctx.locale) })

export const accounts = new Hono<ContentEnv>()
  .post(
    "/register",
    describe({
      id: "accounts.register",
      summary: "Register an account",
      answers: { status: 201, body: singleOf(Nothing) },
      refuses: ["rate_limited", "validation_failed"],
    }),
    body(Register),
    async (c) => {
      const input = c.req.valid("json")
      const { emailVerification } = c.var.ctx.site.api
      await register(c.var.ctx, input, countHashing(c.var.ctx, "register", { ip: clientIp(c) }))
      return said(c, emailVerification ? "registered_unverified" : "registered", 201)
    },
  )
  .post(
    "/login",
    describe({
      id: "accounts.logIn",
      summary: "Log in",
      answers: { status: 200, body: singleOf(Session) },
      refuses: ["rate_limited", "wrong_credentials", "email_unverified"],
    }),
    body(LogIn),
    async (c) => single(c, await logIn(c.var.ctx, c.req.valid("json"))),
  )
  .get(
    "/logout",
    unverifiedUser,
    describe({
      id: "accounts.logOut",
      summary: "Revoke all tokens of the user",
      answers: { status: 200, body: singleOf(Nothing) },
      refuses: ["unauthenticated"],
    }),
    async (c) => {
      await logOut(c.var.userCtx)
      return said(c, "logged_out")
    },
  )
  .post(
    "/email/check",
    describe({
      id: "accounts.checkEmail",
      summary: "Whether an address has an account",
      answers: { status: 200, body: singleOf(z.object({ exists: z.boolean() })) },
      refuses: ["rate_limited"],
    }),
    body(EmailOnly),
    async (c) => {
      await countAttempt(c.var.ctx, "email", { ip: clientIp(c) })
      return single(c, { exists: await emailExists(c.var.ctx, c.req.valid("json").email) })
    },
  )
  .post(
    "/password/forgot",
    describe({
      id: "accounts.forgotPassword",
      summary: "Mail a link and a token for a new password",
      answers: { status: 200, body: singleOf(Nothing) },
      refuses: ["rate_limited"],
    }),
    body(EmailOnly),
    async (c) => {
      await forgotPassword(c.var.ctx, c.req.valid("json"))
      return said(c, "reset_mailed")
    },
  )
  .post(
    "/password/reset",
    describe({
      id: "accounts.resetPassword",
      summary: "Set a new password by a mailed token",
      answers: { status: 200, body: singleOf(Nothing) },
      refuses: ["rate_limited", "reset_token_invalid"],
    }),
    body(ResetPassword),
    async (c) => {
      const hashing = countHashing(c.var.ctx, "reset", { ip: clientIp(c) })
      await resetPassword(c.var.ctx, c.req.valid("json"), hashing)
      return said(c, "password_reset")
    },
  )
  .post(
    "/resend-verify-account-email",
    describe({
      id: "accounts.resendVerification",
      summary: "Mail another link to confirm an address",
      answers: { status: 200, body: singleOf(Nothing) },
      refuses: ["rate_limited", "not_found"],
    }),
    body(EmailOnly),
    async (c) => {
      await resendVerification(c.var.ctx, c.req.valid("json"))
      return said(c, "verification_mailed")
    },
  )
  .get(
    "/me",
    unverifiedUser,
    describe({
      id: "profile.get",
      summary: "The user's profile",
      answers: { status: 200, body: singleOf(Me) },
      refuses: ["unauthenticated"],
    }),
    async (c) => single(c, await readMe(c.var.userCtx)),
  )
  .put(
    "/me",
    unverifiedUser,
    describe({
      id: "profile.update",
      summary: "Change the profile",
      answers: { status: 200, body: singleOf(Me) },
      refuses: ["unauthenticated", "validation_failed", "rate_limited"],
    }),
    body(UpdateMe),
    async (c) => {
      const input = c.req.valid("json")
      const who = { ip: clientIp(c), account: c.var.userCtx.caller.token?.hash }
      const hashing = input.current_password ? countHashing(c.var.ctx, "password", who) : Promise.resolve(null)
      return single(c, await updateMe(c.var.userCtx, input, hashing))
    },
  )
  .post(
    "/update/avatar",
    user,
    describe({
      id: "profile.updateAvatar",
      summary: "Upload a picture of the user, as multipart `avatar`",
      answers: { status: 200, body: singleOf(z.object({ avatar: z.string() })) },
      files: { avatar: true },
      refuses: ["unauthenticated", "limit_reached", "rate_limited"],
    }),
    async (c) => {
      // Before anything is counted: the token that comes with a form's body has been looked up by now.
      if (!isMultipart(c)) throw httpFault(415)
      if (c.req.raw.body === null) throw httpFault(400)
      await countUpload(c.var.userCtx)
      const given = await readAvatar(c.req.header("Content-Type"), c.req.raw.body)
      await c.var.ctx.bodyArrived?.()
      return single(c, await updateAvatar(c.var.userCtx, given))
    },
  )
  .put(
    "/update/password",
    user,
    describe({
      id: "profile.updatePassword",
      summary: "Change the password, knowing the current one",
      answers: { status: 200, body: singleOf(Nothing) },
      refuses: ["rate_limited", "unauthenticated", "wrong_password"],
    }),
    body(UpdatePassword),
    async (c) => {
      const who = { ip: clientIp(c), account: c.var.userCtx.caller.token?.hash }
      await updatePassword(c.var.userCtx, c.req.valid("json"), countHashing(c.var.ctx, "password", who, 2))
      return said(c, "password_changed")
    },
  )
