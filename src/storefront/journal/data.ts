// Posts as the storefront shows them.

export interface PostSummary {
  id: number
  slug: string
  name: string
  description: string | null
  image: string | null
  publishedAt: Date
}

/** A post with its body, HTML or plain text as staff wrote it. */
export interface Post extends PostSummary {
  content: string
  author?: string | null
}
