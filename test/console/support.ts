// Speaks to the console as a browser does: a cookie, forms from its own pages.
import { CreateOperator } from "../../src/platform/operators/schemas"
import { createOperator } from "../../src/platform/operators/service"
import { type Answer, type CallOptions, call, run } from "../support/app"

export const PASSWORD = "correct horse battery"

let serial = 0

/** An operator's e-mail address; the password is `PASSWORD`. */
export async function makeOperator(
  given: { role?: "admin" | "viewer"; email?: string; name?: string } = {},
): Promise<string> {
  const email = given.email ?? `operator${++serial}@example.com`
  const input = CreateOperator.parse({
    email,
    name: given.name ?? "Ada",
    password: PASSWORD,
    role: given.role ?? "admin",
  })
  await run((ctx) => createOperator(ctx, input))
  return email
}

type Fields = Record<string, string | string[]>

/** A form's body. */
function encoded(fields: Fields): string {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one)
  return body.toString()
}

/** A POST of a form, as the console's own pages send it. */
export const post = (path: string, fields: Fields = {}, options: CallOptions = {}): Promise<Answer> =>
  call("POST", path, {
    ...options,
    body: encoded(fields),
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      "Sec-Fetch-Site": "same-origin",
      "CF-Connecting-IP": "192.0.2.1",
      ...options.headers,
    },
  })

export interface Browser {
  cookie: string
  get(path: string, options?: CallOptions): Promise<Answer>
  post(path: string, fields?: Fields, options?: CallOptions): Promise<Answer>
}

/** A browser with a cookie. */
export const browser = (cookie: string): Browser => ({
  cookie,
  get: (path, options = {}) => call("GET", path, { ...options, headers: { Cookie: cookie, ...options.headers } }),
  post: (path, fields, options = {}) =>
    post(path, fields, { ...options, headers: { Cookie: cookie, ...options.headers } }),
})

/** The cookie that an answer gives. */
export const cookieOf = (answer: Answer): string => answer.headers.get("Set-Cookie")?.split(";")[0] ?? ""

/** A browser in which a new operator is signed in. */
export async function signIn(given: Parameters<typeof makeOperator>[0] = {}): Promise<Browser> {
  const email = await makeOperator(given)
  return browser(cookieOf(await post("/console/login", { email, password: PASSWORD })))
}
