// The request and response schemas of posts.

import * as z from "zod"
import {
  commaList,
  email,
  emptyAsNull,
  isTimestamp,
  queryFlag,
  searchTerm,
  shortText,
  violates,
  withLookups,
} from "../../../core/http/validation"
import type { posts } from "../../../db/schema/sites/posts"
import { formatTimestamp, hasFourDigitYear } from "../../../lib/time"
import { foldCase } from "../../case-folding"
import { createdAt, description, idsOrSlugs, image, markup, name, STATUSES, slug, status, timestamp } from "../fields"
import { filterQuery, idList, listQuery } from "../listing"

export const INCLUDES = ["categories", "tags", "author"] as const

export type Include = (typeof INCLUDES)[number]

const include = commaList(shortText(50).meta({ enum: [...INCLUDES] }), { max: 20 })
  .refine((items) => items.every(isInclude), violates("selected"))
  .transform((items) => new Set(items.filter(isInclude)))
  .default(new Set<Include>())

const isInclude = (item: string): item is Include => (INCLUDES as readonly string[]).includes(item)

const id = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .transform(Number)
  .refine(Number.isSafeInteger, violates("format"))
  .meta({ type: "integer", minimum: 1 })
  .optional()

const search = searchTerm((value) => foldCase(value).replaceAll("\0", "").replace(/\s+/g, " ").trim()).optional()

export const ListPosts = z.object({
  ...listQuery,
  status: z.enum([...STATUSES, "scheduled"]).default("published"),
  category_id: id,
  tag_id: id,
  search,
  featured: queryFlag.optional(),
  include,
})

/** A date, or a date with a time. */
const moment = z
  .string()
  .max(40)
  .refine(
    (value) => (z.iso.date().safeParse(value).success && hasFourDigitYear(new Date(value))) || isTimestamp(value),
    violates("date"),
  )
  .transform((value) => new Date(value))
  .meta({ format: "date-time" })
  .optional()

export const FilterPosts = z.object({
  ...filterQuery,
  search,
  after: moment,
  before: moment,
  author: idList.optional(),
  author_exclude: idList.optional(),
  categories: idList.optional(),
  categories_exclude: idList.optional(),
  tags: idList.optional(),
  tags_exclude: idList.optional(),
  featured: queryFlag.optional(),
})

export const ReadPost = z.object({ include })

const fields = {
  slug,
  name,
  description,
  content: markup.describe("HTML or plain text"),
  image,
  status,
  featured: z.union([z.boolean(), queryFlag]).describe("true to feature the post"),
  author: email(190).nullish().describe("email address of a user of the site"),
  categories: idsOrSlugs.describe("ids or slugs, comma-separated"),
  tags: idsOrSlugs.describe("ids or slugs, comma-separated"),
  published_at: emptyAsNull(timestamp).describe("when it appears, ISO 8601; immediately if omitted"),
  created_at: createdAt,
}

const LOOKUPS = ["slug", "author", "categories", "tags"] as const

export const SavePost = withLookups(
  z.object({
    ...fields,
    content: fields.content.default(""),
    status: status.default("published"),
    featured: fields.featured.default(false),
    categories: fields.categories.default([]),
    tags: fields.tags.default([]),
  }),
  ...LOOKUPS,
)

export const UpdatePost = withLookups(z.object(fields).partial(), ...LOOKUPS)

const Reference = z.object({ id: z.int(), name: z.string(), slug: z.string(), description: z.string().nullable() })
const Author = z.object({ id: z.int(), name: z.string(), avatar: z.string().nullable() })

export const ListedPost = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    image: z.string().nullable(),
    status: z.enum(STATUSES),
    featured: z.boolean(),
    published_at: z.string().nullable(),
    categories: z.array(Reference).optional(),
    tags: z.array(Reference).optional(),
    author: Author.nullable().optional(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ListedPost" })

export const PostResource = ListedPost.extend({
  content: z.string(),
  categories: z.array(Reference),
  tags: z.array(Reference),
}).meta({ id: "Post" })

export type FullRow = Omit<typeof posts.$inferSelect, "searchText">

/** A row of a list, without what only a single post has. */
type ListedRow = Omit<FullRow, "siteId" | "nameKey" | "content" | "savedById" | "savedByName">

/** A post with its included relations. A relation that was not requested is undefined. */
export interface PostWithRelations<Row = ListedRow> {
  post: Row
  categories?: z.input<typeof Reference>[]
  tags?: z.input<typeof Reference>[]
  author?: z.input<typeof Author> | null
}

export const listedPost = ({ post, categories, tags, author }: PostWithRelations): z.input<typeof ListedPost> => ({
  id: post.id,
  name: post.name,
  slug: post.slug,
  description: post.description,
  image: post.image,
  status: post.status,
  featured: post.isFeatured,
  published_at: formatTimestamp(post.publishedAt),
  ...(categories && { categories }),
  ...(tags && { tags }),
  ...(author !== undefined && { author }),
  created_at: formatTimestamp(post.createdAt),
  updated_at: formatTimestamp(post.updatedAt),
})

export const postResource = (loaded: PostWithRelations<FullRow>): z.input<typeof PostResource> => ({
  ...listedPost(loaded),
  content: loaded.post.content,
  categories: loaded.categories ?? [],
  tags: loaded.tags ?? [],
})

/** Builds the resource of a changed post, as a read without `include` returns it. */
export const changedPost = ({ author: _, ...loaded }: PostWithRelations<FullRow>): z.input<typeof PostResource> =>
  postResource(loaded)
