// Deletes posts, pages, categories and tags of a site after a confirmation, and previews posts and pages of a store.
import type { Context } from "hono"
import { deleteCategory } from "../../content/blog/categories/save"
import { type ContentKind, readContentFields } from "../../content/blog/operator-list"
import { deletePage } from "../../content/blog/pages/save"
import { deletePost } from "../../content/blog/posts/save"
import { deleteTag } from "../../content/blog/tags/save"
import { createOperatorEditorCtx, type EditorCtx } from "../../content/editor"
import { getFallbackHost } from "../../env"
import { previewContent } from "../../storefront/service"
import type { Confirmation } from "../confirmation/confirmed"
import { pathParam } from "../form-handler"
import { NoFields } from "../forms"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { getSite, getSitePath, withSiteCrumbs } from "./site-page"
import { renderContent } from "./sites"

const PATH = "/console/sites/:site"

const DELETIONS: Record<ContentKind, (ctx: EditorCtx, slug: string) => Promise<void>> = {
  posts: deletePost,
  pages: deletePage,
  categories: deleteCategory,
  tags: deleteTag,
}

const deletion = (kind: ContentKind): Confirmation<typeof NoFields> => ({
  roles: ["support"],
  schema: NoFields,
  async preview(c) {
    const site = await getSite(c)
    const slug = pathParam(c, "slug")
    const values = await readContentFields(site, kind, slug)
    const path = `${getSitePath(c)}/${kind}`
    return {
      title: W.sites.delete_title(values.name ?? slug),
      crumbs: withSiteCrumbs(c, [
        [W.sites[kind], path],
        [values.name ?? slug, `${path}/${slug}`],
      ]),
      back: `${path}/${slug}`,
      state: [site.id, kind, values],
      effects: W.sites.delete_effects[kind],
      submitLabel: W.sites.delete[kind],
    }
  },
  async run(c) {
    const site = await getSite(c)
    await DELETIONS[kind](await createOperatorEditorCtx(c.var.ctx, site.id), pathParam(c, "slug"))
    return withNotice(`${getSitePath(c)}/${kind}`, "deleted")
  },
  renderForm: (c, state) => renderContent(c, kind, state),
})

const preview = (kind: "posts" | "pages") => (c: Context<ConsoleEnv>) =>
  previewContent(c.var.ctx, getFallbackHost(c.var.ctx.settings, pathParam(c, "site")), kind, pathParam(c, "slug"), "en")

export const contentActions = createPages()
  .confirmed(`${PATH}/posts/:slug/delete`, deletion("posts"))
  .confirmed(`${PATH}/pages/:slug/delete`, deletion("pages"))
  .confirmed(`${PATH}/categories/:slug/delete`, deletion("categories"))
  .confirmed(`${PATH}/tags/:slug/delete`, deletion("tags"))
  .get(`${PATH}/posts/:slug/preview`, preview("posts"))
  .get(`${PATH}/pages/:slug/preview`, preview("pages"))
