// Types of pages that depend on the visitor: the cart, the checkout, the account. They are never cached, and forms post
// to them.
import type { User, UserCtx } from "../../content/user"
import type { Read, Results } from "../../db/client"
import type { Page } from "../part"
import type { Cookies } from "./cookies"

/** The fields of a form; a name that was sent several times has its last value. */
export type FormFields = Readonly<Record<string, string>>

/** One request for such a page. */
export interface Visit {
  /** The site, and the signed-in customer as the caller. */
  readonly ctx: UserCtx
  readonly url: URL
  /** Parameters of the path, by their name in the page's path. */
  readonly params: Readonly<Record<string, string>>
  readonly cookies: Cookies
  /** Reads from the site's database in one round trip, together with what the layout shows. */
  read<const Reads extends readonly Read[]>(reads: Reads): Promise<Results<Reads>>
  /**
   * Reads like `read`, and the signed-in customer.
   * @returns `user` is null for a visitor who is not signed in; the cookie of an expired session is deleted
   */
  readAsUser<const Reads extends readonly Read[]>(reads: Reads): Promise<{ user: User | null; results: Results<Reads> }>
  /** Responds with a page. */
  render(page: Page, status?: number): Promise<Response>
  /**
   * Responds with a redirect that the browser follows with GET.
   * @param path from the root
   */
  redirect(path: string): Response
}

export interface VisitorPage {
  /** Path without the leading slash: `checkout`, `account/orders/:number`. */
  path: string
  get?(visit: Visit): Promise<Response>
  post?(visit: Visit, fields: FormFields): Promise<Response>
}
