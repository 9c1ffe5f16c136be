// Sends requests to the console as a browser does: with a session cookie, and forms from the console's own pages.
import { parseInput } from "../../src/core/http/input"
import type { Role } from "../../src/db/schema/central/operators"
import { CreateOperator } from "../../src/platform/operators/schemas"
import { createOperator } from "../../src/platform/operators/service"
import { type CallOptions, call, run, type TestResponse } from "../support/app"
import { nextSerial } from "../support/serial"
import { parsePostForms } from "./crawler"

export const PASSWORD = "correct horse battery"

/** Creates an operator with the password `PASSWORD`. @returns their email address */
export async function makeOperator(params: { role?: Role; email?: string; name?: string } = {}): Promise<string> {
  const email = params.email ?? `operator${nextSerial()}@example.com`
  const input = parseInput(CreateOperator, {
    email,
    name: params.name ?? "Ada",
    password: PASSWORD,
    role: params.role ?? "admin",
  })
  await run((ctx) => createOperator(ctx, input))
  return email
}

type Fields = Record<string, string | string[]>

/** Encodes a form body. */
function encodeForm(fields: Fields): string {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one)
  return body.toString()
}

/** Submits a form as the console's own pages do. */
export const postForm = (path: string, fields: Fields = {}, options: CallOptions = {}): Promise<TestResponse> =>
  call("POST", path, {
    ...options,
    body: encodeForm(fields),
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "Sec-Fetch-Site": "same-origin",
      "CF-Connecting-IP": "192.0.2.1",
      ...options.headers,
    },
  })

export interface Browser {
  cookie: string
  get(path: string, options?: CallOptions): Promise<TestResponse>
  post(path: string, fields?: Fields, options?: CallOptions): Promise<TestResponse>
  /**
   * Opens the confirmation page of an action, and submits its form.
   * @param input fields of the action
   * @param entered what the operator enters on the confirmation page
   */
  confirm(path: string, input?: Fields, entered?: Fields): Promise<TestResponse>
}

/** Creates a browser with a cookie. */
export const createBrowser = (cookie: string): Browser => ({
  cookie,
  get: (path, options = {}) => call("GET", path, { ...options, headers: { Cookie: cookie, ...options.headers } }),
  post: (path, fields, options = {}) =>
    postForm(path, fields, { ...options, headers: { Cookie: cookie, ...options.headers } }),
  async confirm(path, input = {}, entered = {}) {
    const query = encodeForm(input)
    const page = await this.get(query ? `${path}?${query}` : path)
    const form = parsePostForms(page.text).find(({ action }) => action === path)
    if (page.status !== 200 || !form) return page
    const fields: Record<string, string[]> = {}
    for (const { name, value, isSubmitted } of form.fields)
      if (isSubmitted) fields[name] = [...(fields[name] ?? []), value]
    return this.post(path, { ...fields, ...entered })
  },
})

/** The cookie that a response sets. */
export const getCookie = (response: TestResponse): string => response.headers.get("Set-Cookie")?.split(";")[0] ?? ""

/** Creates an operator and signs them in. */
export async function signIn(params: Parameters<typeof makeOperator>[0] = {}): Promise<Browser> {
  const email = await makeOperator(params)
  return createBrowser(getCookie(await postForm("/console/login", { email, password: PASSWORD })))
}
