// Creates the routers of console pages. A form whose route does not declare its access does not compile.
import type * as z from "zod"
import { createPageRouter, type PageRouter } from "../core/http/router"
import { type Confirmation, runConfirmed, showConfirmation } from "./confirmation/confirmed"
import { afterConfirmation, type FormAccess, requireFormRole } from "./form-access"
import type { ConsoleEnv } from "./types"

/** A router of console pages. */
export interface ConsoleRouter extends PageRouter<ConsoleEnv, FormAccess> {
  /** Registers an action with its confirmation page: the GET shows it, the POST runs the action. */
  readonly confirmed: <Schema extends z.ZodObject>(path: string, confirmation: Confirmation<Schema>) => this
}

export function createPages(): ConsoleRouter {
  const router = createPageRouter<ConsoleEnv, FormAccess>()
  const pages: ConsoleRouter = Object.assign(router, {
    confirmed<Schema extends z.ZodObject>(path: string, confirmation: Confirmation<Schema>) {
      const { roles, password } = confirmation
      router.get(path, requireFormRole(roles), showConfirmation(confirmation))
      router.post(path, afterConfirmation(roles, password), runConfirmed(confirmation))
      return pages
    },
  })
  return pages
}
