// Builds the route handler that most forms of the console use.
import type { Context } from "hono"
import type * as z from "zod"
import type { Input } from "../core/http/input"
import type { Precondition } from "../core/http/precondition"
import type { FormState } from "../page-kit/form-state"
import { handleForm } from "./forms"
import type { ConsoleEnv } from "./types"

/** A path parameter; empty when the route has none of that name. */
export const pathParam = (c: Context<ConsoleEnv>, name: string): string => c.req.param(name) ?? ""

/**
 * Creates a handler that validates a form, runs an operation and redirects.
 * @param run performs the operation; returns the path to redirect to, or a response
 * @param renderForm renders the page with the refused form
 * @param handle `handleForm`, or `handleEditForm` for forms that update existing data
 */
export const formHandler =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Context<ConsoleEnv>, input: Input<Schema>, assertUnchanged: Precondition) => Promise<string | Response>,
    renderForm: (c: Context<ConsoleEnv>, state: FormState) => Promise<Response>,
    handle = handleForm,
  ) =>
  (c: Context<ConsoleEnv>) =>
    handle(
      c,
      schema,
      (input, assertUnchanged) => run(c, input, assertUnchanged),
      (state) => renderForm(c, state),
    )
