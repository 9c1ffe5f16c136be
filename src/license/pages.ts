// Builds paginated responses of the internal API: `{data, links, meta}`, 15 items per page by default.
import type { Context } from "hono"
import { linkedPage, pageLinks } from "../core/http/linked-page"
import type { Page, PageRequest } from "../core/list/page"
import { publicUrl } from "../env"
import type { LicenseEnv } from "./types"

/**
 * Builds the response for one page.
 * @param rows the page's rows, already serialised
 */
export function paginatedResponse(
  c: Context<LicenseEnv>,
  { page, per_page }: PageRequest,
  { rows, total }: Page<unknown>,
): Response {
  const { settings } = c.get("ctx")
  const { pathname, search } = new URL(c.req.url)
  const path = publicUrl(settings, settings.CENTRAL_DOMAIN, pathname)
  const body = linkedPage({ page, per_page }, { rows, total }, pageLinks(path, search))
  return c.json({ ...body, meta: { ...body.meta, path } })
}
