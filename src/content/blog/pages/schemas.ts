// The request and response schemas of pages.

import * as z from "zod"
import { text, withLookups } from "../../../core/http/validation"
import type { pages } from "../../../db/schema/sites/pages"
import { formatTimestamp } from "../../../lib/time"
import { description, image, markup, name, STATUSES, slug, status } from "../fields"
import { listQuery } from "../listing"

export const ListPages = z.object({ ...listQuery, status: z.enum(STATUSES).default("published") })

const fields = {
  slug,
  name,
  description,
  content: markup.describe("HTML or plain text"),
  image,
  template: text({ max: 60 }).describe("template of the theme"),
  status,
}

export const SavePage = withLookups(
  z.object({
    ...fields,
    content: fields.content.default(""),
    template: fields.template.default("default"),
    status: status.default("published"),
  }),
  "slug",
)

export const UpdatePage = withLookups(z.object(fields).partial(), "slug")

export const ListedPage = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    image: z.string().nullable(),
    template: z.string(),
    status: z.enum(STATUSES),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ListedPage" })

export const PageResource = ListedPage.extend({ content: z.string() }).meta({ id: "Page" })

export type PageRow = typeof pages.$inferSelect

/** A row of a list, without what only a single page has. */
export type ListedPageRow = Omit<PageRow, "siteId" | "nameKey" | "content" | "savedById" | "savedByName">

export const listedPage = (page: ListedPageRow): z.input<typeof ListedPage> => ({
  id: page.id,
  name: page.name,
  slug: page.slug,
  description: page.description,
  image: page.image,
  template: page.template,
  status: page.status,
  created_at: formatTimestamp(page.createdAt),
  updated_at: formatTimestamp(page.updatedAt),
})

export const pageResource = (page: PageRow): z.input<typeof PageResource> => ({
  ...listedPage(page),
  content: page.content,
})
