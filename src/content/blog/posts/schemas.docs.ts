// Documents the API fields of posts.
import { documentFields } from "../../../core/http/field-docs"
import { FilterPosts, ListedPost, ListPosts, PostResource, ReadPost, SavePost, UpdatePost } from "./schemas"

const include = { description: "Comma-separated relations to include: `categories`, `tags`, `author`." }
const categories = { example: [{ id: 3, name: "Workshop", slug: "workshop", description: null }] }
const tags = { example: [{ id: 5, name: "Wool", slug: "wool", description: null }] }

const name = { description: "Title.", example: "How we dye wool" }
const slug = { description: "Identifier in URLs.", example: "how-we-dye-wool" }
const description = { description: "Summary.", example: null }
const image = { description: "URL or path of the image.", example: "/media/2026/wool.jpg" }
const content = { description: "HTML.", example: "<p>It begins with rain water.</p>" }
const status = { description: "Only `published` posts are public.", example: "published" }
const featured = { description: "Whether the post is featured.", example: false }
const publishedAt = {
  description: "When a published post appears; a date in the future schedules it. null: immediately.",
  example: "2026-03-01T08:00:00+00:00",
}
const input = {
  name,
  description,
  image,
  content,
  status,
  featured,
  published_at: publishedAt,
  author: { description: "Email address of a user of the site.", example: "ada@example.com" },
  categories: {
    description: "Ids or slugs of its categories, as an array or comma-separated.",
    example: ["workshop"],
  },
  tags: { description: "Ids or slugs of its tags, as an array or comma-separated.", example: ["wool"] },
  created_at: { description: "Date of creation.", example: "2026-02-11T09:30:00+00:00" },
}

documentFields(SavePost, {
  ...input,
  slug: { ...slug, description: "Identifier in URLs; derived from the title when omitted." },
  author: { ...input.author, description: "Email address of a user of the site; the caller when omitted." },
  created_at: { ...input.created_at, description: "Date of creation; now when omitted." },
})

documentFields(UpdatePost, { ...input, slug })

documentFields(ListPosts, {
  status: {
    description: "Only posts with this status; `scheduled` for published ones that appear later.",
  },
  category_id: { description: "Only posts in this category." },
  tag_id: { description: "Only posts with this tag." },
  search: { description: "Only posts that contain this text.", example: "wool" },
  sort_by: { description: "Field to sort by." },
  order: { description: "Sort direction." },
  featured: { description: "Only posts that are featured, or that are not." },
  include,
})

const ids = (what: string) => ({ description: `${what}, as comma-separated ids.`, example: [3, 5] })

documentFields(FilterPosts, {
  search: { description: "Only posts that contain this text.", example: "wool" },
  include: ids("Only these posts"),
  exclude: ids("Not these posts"),
  after: { description: "Only posts that appeared after this date or time.", example: "2026-01-01T00:00:00Z" },
  before: { description: "Only posts that appeared before this date or time.", example: "2026-12-31T00:00:00Z" },
  author: ids("Only posts by these users"),
  author_exclude: ids("No posts by these users"),
  categories: ids("Only posts in one of these categories"),
  categories_exclude: ids("No posts in these categories"),
  tags: ids("Only posts with one of these tags"),
  tags_exclude: ids("No posts with these tags"),
  featured: { description: "Only posts that are featured, or that are not." },
  order_by: { description: "Field to sort by; `title` is the same as `name`." },
  order: { description: "Sort direction." },
})

documentFields(ReadPost, { include })

documentFields(ListedPost, {
  name,
  slug,
  description,
  image,
  status,
  featured,
  published_at: publishedAt,
  categories: { ...categories, description: "Categories; only with `include=categories`." },
  tags: { ...tags, description: "Tags; only with `include=tags`." },
  author: {
    description: "Author; only with `include=author`.",
    example: { id: 42, name: "Ada Lovelace", avatar: null },
  },
})

documentFields(
  PostResource,
  {
    content,
    categories: { ...categories, description: "Categories of the post." },
    tags: { ...tags, description: "Tags of the post." },
  },
  ListedPost,
)
