// Data of journal posts that the storefront renders.

export interface PostSummary {
  id: number
  slug: string
  name: string
  description: string | null
  image: string | null
  publishedAt: Date
}

/** Post with its body: HTML or plain text, not sanitised. */
export interface Post extends PostSummary {
  content: string
  author?: string | null
}
