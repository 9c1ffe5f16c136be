// The request and response schemas of posts.

import * as z from "zod"
import {
  commaList,
  email,
  queryFlag,
  searchTerm,
  shortText,
  violates,
  withLookups,
} from "../../../core/http/validation"
import type { posts } from "../../../db/schema/sites/posts"
import { formatTimestamp } from "../../../lib/time"
import { foldCase } from "../../case-folding"
import { createdAt, description, image, markup, name, STATUSES, slug, slugs, status } from "../fields"
import { listQuery } from "../listing"

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

export const ListPosts = z.object({
  ...listQuery,
  status: z.enum(STATUSES).default("published"),
  category_id: id,
  tag_id: id,
  search: searchTerm((value) => foldCase(value).replaceAll("\0", "").replace(/\s+/g, " ").trim()).optional(),
  featured: queryFlag.optional(),
  include,
})

export const ReadPost = z.object({ include })

const post = z.object({
  slug,
  name,
  description,
  content: markup.default("").describe("HTML or plain text"),
  image,
  status,
  featured: z.union([z.boolean(), queryFlag]).default(false).describe("true to feature the post"),
  author: email(190).nullish().describe("email address of a user of the site"),
  categories: slugs.describe("slugs, comma-separated"),
  tags: slugs.describe("slugs, comma-separated"),
  created_at: createdAt,
})

export const SavePost = withLookups(post, "slug", "author", "categories", "tags")

const Reference = z.object({ id: z.int(), name: z.string(), slug: z.string(), description: z.string().nullable() })
const Author = z.object({ id: z.int(), name: z.string(), avatar: z.string().nullable() })

export const ListedPost = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    image: z.string().nullable(),
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

type ListedRow = Omit<typeof posts.$inferSelect, "content" | "searchText">

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
  ...(categories && { categories }),
  ...(tags && { tags }),
  ...(author !== undefined && { author }),
  created_at: formatTimestamp(post.createdAt),
  updated_at: formatTimestamp(post.updatedAt),
})

export const postResource = (
  loaded: PostWithRelations<ListedRow & { content: string }>,
): z.input<typeof PostResource> => ({
  ...listedPost(loaded),
  content: loaded.post.content,
  categories: loaded.categories ?? [],
  tags: loaded.tags ?? [],
})
