// Signing in and out, and being asked again.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { requestPasskey } from "../../platform/operators/passkeys"
import { ShowPasskey, SignIn } from "../../platform/operators/schemas"
import { closeSession, openSession } from "../../platform/operators/sessions"
import { signInByCode, signInByPasskey, signInByPassword } from "../../platform/operators/sign-in"
import { blank, type FormState, submit } from "../forms"
import { giveCookie, returnPath, signedIn, takeCookie } from "../gate"
import { Faults, Field } from "../kit/form"
import { gatePage } from "../kit/page"
import { Note } from "../kit/parts"
import { Passkey } from "../kit/passkey"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const LOGIN = "/console/login"
const CODE = "/console/login/code"
const PASSKEY = "/console/login/passkey"

const WithCode = z.object({ code: z.string().min(1).max(64) })

export const login = new Hono<ConsoleEnv>()
  .get(LOGIN, async (c) => {
    if (c.var.session && !c.var.session.session.awaitsCode) return c.redirect(returnPath(c.req.query("next")), 303)
    return loginPage(c, blank({ next: c.req.query("next") }))
  })
  .post(LOGIN, (c) =>
    submit(
      c,
      SignIn,
      async (input) => {
        const { ctx } = c.var
        const operator = await signInByPassword(ctx, input)
        const awaitsCode = operator.totpEnabledAt !== null && !input.code
        const agent = c.req.header("User-Agent") ?? null
        giveCookie(c, await openSession(ctx, operator, { awaitsCode, agent }))
        const next = returnPath(c.var.form.get("next")?.at(-1))
        return awaitsCode ? `${CODE}?next=${encodeURIComponent(next)}` : next
      },
      (state) => loginPage(c, state),
    ),
  )
  .post(PASSKEY, (c) =>
    submit(
      c,
      ShowPasskey,
      async (input) => {
        const { ctx } = c.var
        const operator = await signInByPasskey(ctx, input)
        const agent = c.req.header("User-Agent") ?? null
        giveCookie(c, await openSession(ctx, operator, { awaitsCode: false, agent }))
        return returnPath(c.var.form.get("next")?.at(-1))
      },
      (state) => loginPage(c, state),
    ),
  )
  .get(CODE, (c) =>
    c.var.session?.session.awaitsCode ? codePage(c, blank({ next: c.req.query("next") })) : c.redirect(LOGIN, 303),
  )
  .post(CODE, async (c) => {
    const { session } = c.var
    if (!session?.session.awaitsCode) return c.redirect(LOGIN, 303)
    return submit(
      c,
      WithCode,
      async ({ code }) => {
        await signInByCode(c.var.ctx, session, code)
        return returnPath(c.var.form.get("next")?.at(-1))
      },
      (state) => codePage(c, state),
    )
  })
  .post("/console/logout", signedIn, async (c) => {
    await closeSession(c.var.ctx, c.var.session)
    takeCookie(c)
    return c.redirect(`${LOGIN}?done=signed_out`, 303)
  })

async function loginPage(c: Context<ConsoleEnv>, state: FormState) {
  const request = await requestPasskey(c.var.ctx, "sign-in")
  const isOut = c.req.method === "GET" && c.req.query("done") === "signed_out"
  return gatePage(c, {
    title: W.login.title,
    status: state.status,
    children: (
      <>
        <form method="post" action={LOGIN}>
          {isOut && (
            <Note tone="good">
              <p role="status">{W.done.signed_out}</p>
            </Note>
          )}
          <Faults state={state} />
          <Next state={state} />
          <Field name="email" type="email" state={state} required autocomplete="username" />
          <Field name="password" type="password" state={state} required autocomplete="current-password" />
          <button type="submit">{W.login.submit}</button>
        </form>

        <Passkey action={PASSKEY} request={request} submit={W.login.passkey} quiet>
          <Next state={state} />
        </Passkey>
      </>
    ),
  })
}

function codePage(c: Context<ConsoleEnv>, state: FormState) {
  return gatePage(c, {
    title: W.login.code_title,
    status: state.status,
    children: (
      <>
        <form method="post" action={CODE}>
          <Faults state={state} />
          <Next state={state} />
          <Field name="code" state={state} hint={W.login.code_hint} required autocomplete="one-time-code" autofocus />
          <button type="submit">{W.login.code_submit}</button>
        </form>
        <p>
          <a href={`${LOGIN}?other=1`}>{W.login.other}</a>
        </p>
      </>
    ),
  })
}

const Next = ({ state }: { state: FormState }) => {
  const next = returnPath(state.values.get("next")?.at(-1))
  return next === "/console" ? null : <input type="hidden" name="next" value={next} />
}
