// Creates CLI commands about one site, which an option names.
import * as z from "zod"
import { siteExists } from "../content/keys/service"
import { findSite, type SiteRef } from "../content/site"
import type { Ctx } from "../core/context"
import type { Input, PartialInput } from "../core/http/input"
import { lookupsOf, shortText, withLookups } from "../core/http/validation"
import { type Command, command } from "./command"

export const siteOption = shortText(63).default("central").describe("Store ID, or central for the platform's own site")

/**
 * Creates a command that runs on a site. An unknown site is reported together with the errors of the other options.
 * @param options the other options
 */
export function siteCommand<Schema extends z.ZodObject>(
  summary: string,
  options: Schema,
  run: (ctx: Ctx, site: SiteRef, input: Input<Schema>) => Promise<unknown>,
): Command {
  const lookups = lookupsOf(options)
  const schema = withLookups(z.object({ site: siteOption, ...options.shape }), "site", ...(lookups as "site"[]))
  return command(summary, schema, async (ctx, input) => {
    const named = input as PartialInput<{ site: string }, "site">
    const site = await findSite(ctx, named.require("site"))
    if (!site) throw named.reject("site", "selected")
    const rest = named.with({ site: null })
    return run(ctx, site, (lookups.length ? rest : rest.complete({})) as Input<Schema>)
  })
}

/**
 * Returns the id of a command's site.
 * @throws Refusal `validation_failed` when the site is unknown and other options are invalid, about all of them. The
 *   service function finds out about the site of valid input.
 */
export async function requireSiteId<Field extends string>(
  ctx: Ctx,
  input: PartialInput<{ site: string }, Field | "site">,
): Promise<string> {
  const id = input.require("site")
  if (input.hasErrors && !(await siteExists(ctx, id))) throw input.reject("site", "selected")
  return id
}
