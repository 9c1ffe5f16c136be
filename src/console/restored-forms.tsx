// Saves the form of an expired session, and shows it again after the operator has signed in. Nothing runs until they
// send it: the form's route is called without the ability to write, and renders its page with the saved values.
import type { Context, MiddlewareHandler } from "hono"
import { DRAFT_PARAMETER, findDraft, saveDraft } from "../core/auth/form-drafts"
import { decryptPassword, encryptPassword, getHiddenName } from "../core/auth/hidden-password"
import { isUrlEncoded, readForm } from "../core/http/body"
import { maxBody } from "../core/http/http"
import { Refusal } from "../core/http/refusal"
import { isolateState } from "../lib/isolate-state"
import { findOperatorOfExpired } from "../platform/operators/sessions"
import { page } from "./kit/page"
import { getSession } from "./session"
import { W } from "./strings"
import type { ConsoleEnv, Form } from "./types"

/** Longer forms are not read. */
const MAX_BYTES = 200_000

const LOGOUT_PATH = "/console/logout"

const ownerOf = (operator: { id: number }): string => `operator:${operator.id}`

/**
 * Saves the form of a request whose session has expired by idleness or age.
 * @param token the session's cookie
 * @returns the path that shows the form again after signing in; null when there is nothing to save
 */
export async function saveExpiredForm(c: Context<ConsoleEnv>, token: string | undefined): Promise<string | null> {
  const { ctx } = c.var
  const { pathname, search } = new URL(c.req.url)
  const operator = token && isUrlEncoded(c) && pathname !== LOGOUT_PATH ? await findOperatorOfExpired(ctx, token) : null
  const fields = operator && (await readBoundedForm(c))
  if (!fields) return null
  const draft = await saveDraft(ctx, ownerOf(operator), { path: pathname + search, fields })
  return draft && `${pathname}?${new URLSearchParams([...new URLSearchParams(search), [DRAFT_PARAMETER, draft]])}`
}

/** Reads a form; null for one that is malformed or too long. */
async function readBoundedForm(c: Context<ConsoleEnv>): Promise<Form | null> {
  let form: Form | null = null
  try {
    await maxBody(MAX_BYTES)(c, async () => {
      form = await readForm(c)
    })
    return form
  } catch (cause) {
    if (cause instanceof Refusal) return null
    throw cause
  }
}

/** Requests that show a saved form. */
const restoring = isolateState(() => new WeakSet<Request>())

/** Whether the request shows a saved form. */
export const isRestored = (c: Context): boolean => restoring.current.has(c.req.raw)

type Fetch = (
  request: Request,
  env: ConsoleEnv["Bindings"],
  execution: ExecutionContext,
) => Response | Promise<Response>

/**
 * Shows a saved form to the operator who sent it.
 * @param fetch calls the route of the form
 */
export const restoreForm =
  (fetch: Fetch): MiddlewareHandler<ConsoleEnv> =>
  async (c, next) => {
    const token = c.req.method === "GET" ? c.req.query(DRAFT_PARAMETER) : undefined
    if (token === undefined) return next()
    const draft = await findDraft(c.var.ctx, ownerOf(getSession(c).operator), token)
    if (draft?.path.split("?")[0] !== new URL(c.req.url).pathname) return renderExpired(c)
    const url = new URL(draft.path, c.req.url)
    url.searchParams.set("done", "form_restored")
    const fields = await hidePasswords(c, draft.fields)
    const request = new Request(url, {
      method: "POST",
      headers: {
        ...c.req.header(),
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin",
      },
      body: new URLSearchParams(fields.flatMap(([name, values]) => values.map((value) => [name, value]))).toString(),
    })
    restoring.current.add(request)
    return fetch(request, c.env, c.executionCtx as ExecutionContext)
  }

const renderExpired = (c: Context<ConsoleEnv>) =>
  page(c, {
    title: W.errors.draft_expired,
    status: 404,
    children: (
      <>
        <p>{W.errors.draft_expired_body}</p>
        <p>
          <a href="/console">{W.errors.home}</a>
        </p>
      </>
    ),
  })

/** The fields of password inputs, which pages never fill in. */
const PASSWORD_FIELD = /password|secret|encryption_key$/

const getPurpose = (c: Context<ConsoleEnv>, name: string): string => `console:${getSession(c).operator.id}:${name}`

/** Replaces passwords by encrypted values for hidden fields. */
const hidePasswords = (c: Context<ConsoleEnv>, fields: Form): Promise<[string, readonly string[]][]> =>
  Promise.all(
    [...fields].map(async ([name, values]): Promise<[string, readonly string[]]> => {
      const password = PASSWORD_FIELD.test(name) && !name.startsWith(getHiddenName("")) ? values.at(-1) : undefined
      if (!password) return [name, values]
      const { settings, now } = c.var.ctx
      return [getHiddenName(name), [await encryptPassword(settings, getPurpose(c, name), password, now)]]
    }),
  )

/** Fills in passwords from their hidden fields, unless others were entered. */
export async function revealPasswords(c: Context<ConsoleEnv>, fields: Form): Promise<Form> {
  const prefix = getHiddenName("")
  const hidden = [...fields].filter(([name]) => name.startsWith(prefix))
  if (!hidden.length || !c.var.session || c.var.isRestored) return fields
  const revealed = new Map(fields)
  for (const [hiddenName, values] of hidden) {
    const name = hiddenName.slice(prefix.length)
    if (fields.get(name)?.at(-1)) continue
    const { settings, now } = c.var.ctx
    const password = await decryptPassword(settings, getPurpose(c, name), values.at(-1), now)
    if (password !== undefined) revealed.set(name, [password])
  }
  return revealed
}
