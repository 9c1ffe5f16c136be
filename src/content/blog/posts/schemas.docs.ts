// Documents the API fields of posts.
import { documentFields } from "../../../core/http/field-docs"
import { ListedPost, ListPosts, PostResource, ReadPost } from "./schemas"

const include = { description: "Comma-separated relations to include: `categories`, `tags`, `author`." }
const categories = { example: [{ id: 3, name: "Workshop", slug: "workshop", description: null }] }
const tags = { example: [{ id: 5, name: "Wool", slug: "wool", description: null }] }

documentFields(ListPosts, {
  status: { description: "Only posts with this status." },
  category_id: { description: "Only posts in this category." },
  tag_id: { description: "Only posts with this tag." },
  search: { description: "Only posts that contain this text.", example: "wool" },
  sort_by: { description: "Field to sort by." },
  order: { description: "Sort direction." },
  featured: { description: "Only posts that are featured, or that are not." },
  include,
})

documentFields(ReadPost, { include })

documentFields(ListedPost, {
  name: { description: "Title.", example: "How we dye wool" },
  slug: { description: "Identifier in URLs.", example: "how-we-dye-wool" },
  description: { description: "Summary.", example: null },
  image: { description: "URL or path of the image.", example: "/media/2026/wool.jpg" },
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
    content: { description: "HTML.", example: "<p>It begins with rain water.</p>" },
    categories: { ...categories, description: "Categories of the post." },
    tags: { ...tags, description: "Tags of the post." },
  },
  ListedPost,
)
