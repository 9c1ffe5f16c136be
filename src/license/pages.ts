// Pages of the internal API's lists: `{data, links, meta}`, fifteen a page.
import type { Context } from "hono"
import { linkedPage, pageLinks } from "../core/http/linked-page"
import type { Page, PageRequest } from "../core/list/page"
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
  const { settings } = c.get("ctx")
  const { pathname, search } = new URL(c.req.url)
  const path = publicUrl(settings, settings.CENTRAL_DOMAIN, pathname)
  const shown = linkedPage({ page, per_page }, { rows, total }, pageLinks(path, search))
  return c.json({ ...shown, meta: { ...shown.meta, path } })
}
