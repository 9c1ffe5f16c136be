// Commands that write a site's blog and pages.
import * as z from "zod"
import { SaveCategory } from "../content/blog/categories/schemas"
import { saveCategory } from "../content/blog/categories/service"
import { SavePage } from "../content/blog/pages/schemas"
import { savePage } from "../content/blog/pages/service"
import { SavePost } from "../content/blog/posts/schemas"
import { savePost } from "../content/blog/posts/service"
import { SaveTag } from "../content/blog/tags/schemas"
import { saveTag } from "../content/blog/tags/service"
import { type SiteRef, siteById } from "../content/site"
import type { Ctx } from "../core/context"
import { shortText } from "../core/http/validation"
import type { Command } from "./command"

const site = shortText(63).default("central").describe("a store's id, or central")

interface Saved {
  id: number
  slug: string
  name: string
}

/** A command that saves one kind of thing at the site it names. */
function save<Shape extends z.ZodRawShape>(
  what: string,
  input: z.ZodObject<Shape>,
  verb: (ctx: Ctx, site: SiteRef, input: z.output<z.ZodObject<Shape>>) => Promise<Saved>,
): Command {
  return {
    summary: `Create a ${what}, or replace the one of that slug`,
    input: z.object({ site, ...input.shape }),
    run: async (ctx, given) => {
      const { site: id, ...fields } = given as { site: string } & z.output<z.ZodObject<Shape>>
      const saved = await verb(ctx, await siteById(ctx, id), fields as z.output<z.ZodObject<Shape>>)
      return { id: saved.id, site: id, slug: saved.slug, name: saved.name }
    },
  }
}

export const contentCommands: Record<string, Command> = {
  "posts:save": save("post", SavePost, savePost),
  "categories:save": save("category", SaveCategory, saveCategory),
  "tags:save": save("tag", SaveTag, saveTag),
  "pages:save": save("page", SavePage, savePage),
}
