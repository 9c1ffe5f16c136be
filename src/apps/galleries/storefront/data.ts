// Galleries as the storefront shows them.

/** The first segment of their paths. */
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
