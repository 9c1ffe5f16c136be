// Pages of the internal API's lists: `{data, links, meta}`, fifteen a page.
import type { Context } from "hono"
import { linkedPage } from "../core/linked-page"
import type { Page, PageRequest } from "../core/page"
import { publicUrl } from "../env"
import type { LicenseEnv } from "./types"

/**
 * A page of resources.
 * @param page its rows as they are to be shown
 */
export function paginated(
  c: Context<LicenseEnv>,
  { page, per_page }: PageRequest,
  { rows, total }: Page<unknown>,
): Response {
  const shown = linkedPage({ page, per_page }, { rows, total }, (number) => linkTo(c, number))
  return c.json({ ...shown, meta: { ...shown.meta, path: pathOf(c) } })
}

function linkTo(c: Context<LicenseEnv>, page: number): string {
  const { searchParams } = new URL(c.req.url)
  searchParams.set("page", String(page))
  return `${pathOf(c)}?${searchParams}`
}

const pathOf = (c: Context<LicenseEnv>): string =>
  publicUrl(c.var.ctx.settings, c.var.ctx.settings.CENTRAL_DOMAIN, c.req.path)
