// Routes of accounts: registration, login and logout, passwords, and the user's own profile.
import type { Context } from "hono"
import * as z from "zod"
import { isMultipart } from "../../core/http/body"
import { clientAddress } from "../../core/http/http"
import { httpError } from "../../core/http/refusal"
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { sendData } from "../envelope"
import { countAttempt, countHashing } from "../rate-limits"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { unverifiedUser, user } from "../user"
import { countAvatarUpload, readAvatar, updateAvatar } from "./avatar"
import { deleteAccount } from "./erase"
import { forgotPassword, resetPassword, updatePassword } from "./passwords"
import { readMe, updateMe } from "./profile"
import { emailExists, register } from "./register"
import { DeleteMe, EmailOnly, LogIn, Me, Register, ResetPassword, Session, UpdateMe, UpdatePassword } from "./schemas"
import { logIn, logOut } from "./sessions"
import { accountMessage } from "./strings"
import { resendVerification } from "./verification"

const NoData = z.null()

/** Sends a response that has only a message. */
const sendMessage = (
  c: Context<ContentEnv>,
  message: Parameters<typeof accountMessage>[0],
  status?: 201,
): Promise<Response> => sendData(c, null, { status, message: accountMessage(message, c.var.ctx.locale) })

export const accounts = createRouter<ContentEnv>()
  .post(
    "/register",
    describe({
      id: "accounts.register",
      summary: "Register an account",
      responses: { status: 201, body: dataEnvelope(NoData) },
      refuses: ["rate_limited", "validation_failed"],
    }),
    body(Register),
    async (c) => {
      const input = c.req.valid("json")
      const { emailVerification } = c.var.ctx.site.api
      await register(c.var.ctx, input, countHashing(c.var.ctx, "register", { ip: clientAddress(c) }))
      return sendMessage(c, emailVerification ? "registered_unverified" : "registered", 201)
    },
  )
  .post(
    "/login",
    describe({
      id: "accounts.logIn",
      summary: "Log in",
      responses: { status: 200, body: dataEnvelope(Session) },
      refuses: ["rate_limited", "validation_failed", "wrong_credentials", "account_disabled", "email_unverified"],
    }),
    body(LogIn),
    async (c) => sendData(c, await logIn(c.var.ctx, c.req.valid("json"))),
  )
  // lint: clients log out with GET; the token is in a header, so no link can
  .get(
    "/logout",
    describe({
      id: "accounts.logOut",
      summary: "Log out",
      responses: { status: 200, body: dataEnvelope(NoData) },
      refuses: ["unauthenticated"],
    }),
    unverifiedUser,
    async (c) => {
      await logOut(c.var.userCtx)
      return sendMessage(c, "logged_out")
    },
  )
  .post(
    "/email/check",
    describe({
      id: "accounts.checkEmail",
      summary: "Check an email address",
      responses: { status: 200, body: dataEnvelope(z.object({ exists: z.boolean() })) },
      refuses: ["rate_limited"],
    }),
    body(EmailOnly),
    async (c) => {
      await countAttempt(c.var.ctx, "email", { ip: clientAddress(c) })
      return sendData(c, { exists: await emailExists(c.var.ctx, c.req.valid("json").email) })
    },
  )
  .post(
    "/password/forgot",
    describe({
      id: "accounts.forgotPassword",
      summary: "Request a password reset",
      responses: { status: 200, body: dataEnvelope(NoData) },
      refuses: ["rate_limited"],
    }),
    body(EmailOnly),
    async (c) => {
      await forgotPassword(c.var.ctx, c.req.valid("json"))
      return sendMessage(c, "reset_mailed")
    },
  )
  .post(
    "/password/reset",
    describe({
      id: "accounts.resetPassword",
      summary: "Reset a password",
      responses: { status: 200, body: dataEnvelope(NoData) },
      refuses: ["rate_limited", "reset_token_invalid"],
    }),
    body(ResetPassword),
    async (c) => {
      const hashing = countHashing(c.var.ctx, "reset", { ip: clientAddress(c) })
      await resetPassword(c.var.ctx, c.req.valid("json"), hashing)
      return sendMessage(c, "password_reset")
    },
  )
  .post(
    "/resend-verify-account-email",
    describe({
      id: "accounts.resendVerification",
      summary: "Resend the verification email",
      responses: { status: 200, body: dataEnvelope(NoData) },
      refuses: ["rate_limited", "not_found"],
    }),
    body(EmailOnly),
    async (c) => {
      await resendVerification(c.var.ctx, c.req.valid("json"))
      return sendMessage(c, "verification_mailed")
    },
  )
  .get(
    "/me",
    describe({
      id: "profile.get",
      summary: "Retrieve the profile",
      responses: { status: 200, body: dataEnvelope(Me) },
      refuses: ["unauthenticated"],
    }),
    unverifiedUser,
    async (c) => sendData(c, await readMe(c.var.userCtx)),
  )
  .put(
    "/me",
    describe({
      id: "profile.update",
      summary: "Update the profile",
      responses: { status: 200, body: dataEnvelope(Me) },
      refuses: ["unauthenticated", "validation_failed", "rate_limited"],
    }),
    unverifiedUser,
    body(UpdateMe),
    async (c) => {
      const input = c.req.valid("json")
      const subject = { ip: clientAddress(c), account: c.var.userCtx.caller.token?.hash }
      const hashing = input.valid.current_password
        ? countHashing(c.var.ctx, "password", subject)
        : Promise.resolve(null)
      return sendData(c, await updateMe(c.var.userCtx, input, hashing))
    },
  )
  .delete(
    "/me",
    describe({
      id: "profile.delete",
      summary: "Delete the account",
      responses: { status: 200, body: dataEnvelope(NoData) },
      refuses: ["rate_limited", "unauthenticated", "forbidden", "wrong_password"],
    }),
    unverifiedUser,
    body(DeleteMe),
    async (c) => {
      const subject = { ip: clientAddress(c), account: c.var.userCtx.caller.token?.hash }
      await deleteAccount(c.var.userCtx, c.req.valid("json"), countHashing(c.var.ctx, "password", subject))
      return sendMessage(c, "account_deleted")
    },
  )
  .post(
    "/update/avatar",
    describe({
      id: "profile.updateAvatar",
      summary: "Upload an avatar",
      responses: { status: 200, body: dataEnvelope(z.object({ avatar: z.string() })) },
      files: { avatar: true },
      refuses: ["unauthenticated", "limit_reached", "rate_limited"],
    }),
    user,
    async (c) => {
      // Checked before the upload is counted. `user` has already verified the token, because a form's body is long.
      if (!isMultipart(c)) throw httpError(415)
      if (c.req.raw.body === null) throw httpError(400)
      await countAvatarUpload(c.var.userCtx)
      const field = await readAvatar(c.req.header("Content-Type"), c.req.raw.body)
      await c.var.ctx.bodyArrived?.()
      return sendData(c, await updateAvatar(c.var.userCtx, field))
    },
  )
  .put(
    "/update/password",
    describe({
      id: "profile.updatePassword",
      summary: "Change the password",
      responses: { status: 200, body: dataEnvelope(NoData) },
      refuses: ["rate_limited", "unauthenticated", "wrong_password"],
    }),
    user,
    body(UpdatePassword),
    async (c) => {
      const subject = { ip: clientAddress(c), account: c.var.userCtx.caller.token?.hash }
      await updatePassword(c.var.userCtx, c.req.valid("json"), countHashing(c.var.ctx, "password", subject, 2))
      return sendMessage(c, "password_changed")
    },
  )
