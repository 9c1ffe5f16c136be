// Data of galleries that the storefront renders.

/** First path segment of the gallery pages. */
export const PATH = "galleries"

export interface Gallery {
  id: number
  slug: string
  name: string
  description: string | null
  image: string | null
}

export interface Picture {
  image: string
  caption?: string | null
}
