// The session of the operator who sent the request.
import type { Context } from "hono"
import { Refusal } from "../core/http/refusal"
import type { Session } from "../platform/operators/sessions"
import type { ConsoleEnv } from "./types"

/**
 * Returns the session. It exists behind `requireSession`.
 * @throws Refusal `unauthenticated`
 */
export function getSession(c: Context<ConsoleEnv>): Session {
  if (!c.var.session) throw new Refusal("unauthenticated")
  return c.var.session
}
