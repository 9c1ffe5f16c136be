// CLI commands for a site's blog posts, categories, tags and pages.
import * as z from "zod"
import { SaveCategory } from "../content/blog/categories/schemas"
import { saveCategory } from "../content/blog/categories/service"
import { SavePage } from "../content/blog/pages/schemas"
import { savePage } from "../content/blog/pages/service"
import { SavePost } from "../content/blog/posts/schemas"
import { savePost } from "../content/blog/posts/service"
import { SaveTag } from "../content/blog/tags/schemas"
import { saveTag } from "../content/blog/tags/service"
import { loadSite, type SiteRef } from "../content/site"
import type { Ctx } from "../core/context"
import { shortText } from "../core/http/validation"
import type { Command } from "./command"

const site = shortText(63).default("central").describe("Store ID, or central for the platform's own site")

interface Saved {
  id: number
  slug: string
  name: string
}

/** Creates a command that saves one type of content of a site. */
function saveCommand<Shape extends z.ZodRawShape>(
  type: string,
  input: z.ZodObject<Shape>,
  saveFn: (ctx: Ctx, site: SiteRef, input: z.output<z.ZodObject<Shape>>) => Promise<Saved>,
): Command {
  return {
    summary: `Create or replace a ${type}, identified by its slug`,
    input: z.object({ site, ...input.shape }),
    run: async (ctx, options) => {
      const { site: id, ...fields } = options as { site: string } & z.output<z.ZodObject<Shape>>
      const saved = await saveFn(ctx, await loadSite(ctx, id), fields as z.output<z.ZodObject<Shape>>)
      return { id: saved.id, site: id, slug: saved.slug, name: saved.name }
    },
  }
}

export const contentCommands: Record<string, Command> = {
  "posts:save": saveCommand("post", SavePost, savePost),
  "categories:save": saveCommand("category", SaveCategory, saveCategory),
  "tags:save": saveCommand("tag", SaveTag, saveTag),
  "pages:save": saveCommand("page", SavePage, savePage),
}
