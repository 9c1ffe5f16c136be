// CLI commands for a site's blog posts, categories, tags and pages.
import type * as z from "zod"
import { saveCategory } from "../content/blog/categories/save"
import { SaveCategory } from "../content/blog/categories/schemas"
import { savePage } from "../content/blog/pages/save"
import { SavePage } from "../content/blog/pages/schemas"
import { savePost } from "../content/blog/posts/save"
import { SavePost } from "../content/blog/posts/schemas"
import { saveTag } from "../content/blog/tags/save"
import { SaveTag } from "../content/blog/tags/schemas"
import type { SiteRef } from "../content/site"
import type { Ctx } from "../core/context"
import type { Input } from "../core/http/input"
import type { Command } from "./command"
import { withCreated } from "./created"
import { siteCommand } from "./site-command"

interface Saved {
  id: number
  slug: string
  name: string
  isNew: boolean
}

/** Creates a command that saves one type of content of a site. */
const saveCommand = <Schema extends z.ZodObject>(
  type: string,
  schema: Schema,
  save: (ctx: Ctx, site: SiteRef, input: Input<Schema>) => Promise<Saved>,
): Command =>
  siteCommand(`Create or replace a ${type}, identified by its slug`, schema, async (ctx, site, input) => {
    const saved = await save(ctx, site, input)
    return withCreated(saved, ({ id, slug, name }) => ({ id, site: site.id, slug, name }))
  })

export const contentCommands: Record<string, Command> = {
  "posts:save": saveCommand("post", SavePost, savePost),
  "categories:save": saveCommand("category", SaveCategory, saveCategory),
  "tags:save": saveCommand("tag", SaveTag, saveTag),
  "pages:save": saveCommand("page", SavePage, savePage),
}
