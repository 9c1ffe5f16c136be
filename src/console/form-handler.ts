// What most POSTs of the console are: a form that is read, a verb that is called, and the page that leads on or says what was wrong.
import type { Context } from "hono"
import type * as z from "zod"
import { type FormState, submit } from "./forms"
import type { ConsoleEnv } from "./types"

/** A part of the path; empty where the route has none of that name. */
export const param = (c: Context<ConsoleEnv>, name: string): string => c.req.param(name) ?? ""

/**
 * A POST of a form: does it, and leads on.
 * @param run does what the form asks; answers where that leads
 * @param again the page with the form, what was given and what was wrong with it
 * @param take `submit`, or `change` for a form that changes what is there
 */
export const act =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Context<ConsoleEnv>, input: z.output<Schema>) => Promise<string | Response>,
    again: (c: Context<ConsoleEnv>, state: FormState) => Promise<Response>,
    take = submit,
  ) =>
  (c: Context<ConsoleEnv>) =>
    take(
      c,
      schema,
      (input) => run(c, input),
      (state) => again(c, state),
    )
