// Saves the form of an expired session, and shows it again after signing in. Nothing runs until it is sent: the form's
// route is called without the ability to write, and renders its page with the saved values. A route that renders no page
// leads to the page above it.
import type { Context, Env as HonoEnv, MiddlewareHandler } from "hono"
import { DRAFT_PARAMETER, findDraft, saveDraft } from "../core/auth/form-drafts"
import { decryptPassword, encryptPassword, getHiddenName } from "../core/auth/hidden-password"
import type { Ctx } from "../core/context"
import { type Form, readForm } from "../core/http/body"
import { maxBody } from "../core/http/http"
import { Refusal } from "../core/http/refusal"
import { isolateState } from "../lib/isolate-state"
import { isHtml } from "./gate"
import { ONCE_FIELD } from "./once"

/** Longer forms are not read. */
const MAX_BYTES = 200_000

/**
 * Saves the form of a request whose session has expired by idleness or age.
 * @param owner who may read it: the owner of the session that has expired
 * @returns the path that shows the form again after signing in; null when there is nothing to save, such as for a form
 *   that is only a button
 */
export async function saveExpiredForm(c: Context, ctx: Ctx, owner: string): Promise<string | null> {
  const { pathname, search } = new URL(c.req.url)
  const fields = await readBoundedForm(c)
  if (!fields || [...fields.keys()].every((name) => name === ONCE_FIELD)) return null
  const draft = await saveDraft(ctx, owner, { path: pathname + search, fields })
  return draft && `${pathname}?${new URLSearchParams([...new URLSearchParams(search), [DRAFT_PARAMETER, draft]])}`
}

/** Reads a form; null for one that is malformed or too long. */
async function readBoundedForm(c: Context): Promise<Form | null> {
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

type Fetch<E extends HonoEnv> = (
  request: Request,
  env: E["Bindings"],
  execution: ExecutionContext,
) => Response | Promise<Response>

interface RestoreOptions<E extends HonoEnv> {
  /** The start page of the surface, such as `/console`; its other pages are below it. */
  home: string
  /** Calls the route of the form. */
  fetch: Fetch<E>
  getCtx: (c: Context<E>) => Ctx
  /** The owner of the current session. */
  getOwner: (c: Context<E>) => string
  /** Renders the page for a form that has expired or belongs to someone else. */
  renderExpired: (c: Context<E>) => Response | Promise<Response>
}

/** Shows a saved form to its owner. A form that its route cannot show leads to the nearest page above it. */
export const restoreForm =
  <E extends HonoEnv>({ home, fetch, getCtx, getOwner, renderExpired }: RestoreOptions<E>): MiddlewareHandler<E> =>
  async (c, next) => {
    const token = c.req.method === "GET" ? c.req.query(DRAFT_PARAMETER) : undefined
    if (token === undefined) return next()
    const ctx = getCtx(c)
    const owner = getOwner(c)
    const draft = await findDraft(ctx, owner, token)
    if (draft?.path.split("?")[0] !== new URL(c.req.url).pathname) return renderExpired(c)
    const url = new URL(draft.path, c.req.url)
    url.searchParams.set("done", RESTORED_NOTICE)
    const fields = await hidePasswords(ctx, owner, draft.fields)
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
    const execution = c.executionCtx as ExecutionContext
    const response = await fetch(request, c.env, execution)
    if (!isWithoutPage(response)) return response
    const get = (path: string) => fetch(new Request(new URL(path, url), { headers: c.req.header() }), c.env, execution)
    return c.redirect(`${await findNearestPage(home, url.pathname, get)}?done=${RESTORED_NOTICE}`, 303)
  }

/** Returns the path of a form if it has a page, otherwise that of the nearest page above it. */
async function findNearestPage(
  home: string,
  formPath: string,
  get: (path: string) => Response | Promise<Response>,
): Promise<string> {
  for (let path = formPath; path.length > home.length; path = path.slice(0, path.lastIndexOf("/")))
    if (isPage(await get(path))) return path
  return home
}

/** The notice of a page with a form that was not sent. */
const RESTORED_NOTICE = "form_restored"

const isPage = (response: Response): boolean => response.status === 200 && isHtml(response)

/** Statuses of refusals about the form. Other refusals, such as `forbidden`, have a page that says why. */
const FORM_REFUSALS: ReadonlySet<number> = new Set([404, 415, 422])

/** Whether a route responded without a page that shows the form, for example because it writes before it renders. */
const isWithoutPage = (response: Response): boolean =>
  response.status < 400 ? !isPage(response) : FORM_REFUSALS.has(response.status)

/** The fields of password inputs, which pages never fill in. */
const PASSWORD_FIELD = /password|secret|encryption_key$/

const getPurpose = (owner: string, name: string): string => `${owner}:${name}`

/** Replaces passwords by encrypted values for hidden fields. */
const hidePasswords = ({ settings, now }: Ctx, owner: string, fields: Form): Promise<[string, readonly string[]][]> =>
  Promise.all(
    [...fields].map(async ([name, values]): Promise<[string, readonly string[]]> => {
      const password = PASSWORD_FIELD.test(name) && !name.startsWith(getHiddenName("")) ? values.at(-1) : undefined
      if (!password) return [name, values]
      return [getHiddenName(name), [await encryptPassword(settings, getPurpose(owner, name), password, now)]]
    }),
  )

/**
 * Fills in passwords from their hidden fields, unless others were entered.
 * @param owner the owner of the session
 */
export async function revealPasswords({ settings, now }: Ctx, owner: string, fields: Form): Promise<Form> {
  const prefix = getHiddenName("")
  const hidden = [...fields].filter(([name]) => name.startsWith(prefix))
  if (!hidden.length) return fields
  const revealed = new Map(fields)
  for (const [hiddenName, values] of hidden) {
    const name = hiddenName.slice(prefix.length)
    if (fields.get(name)?.at(-1)) continue
    const password = await decryptPassword(settings, getPurpose(owner, name), values.at(-1), now)
    if (password !== undefined) revealed.set(name, [password])
  }
  return revealed
}
