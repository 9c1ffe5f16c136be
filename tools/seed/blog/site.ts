// Types of the demo content of a site, in the shape of the operator commands that save it.

interface Named {
  slug: string
  name: string
  description?: string
}

interface DemoPost extends Named {
  description: string
  categories: string[]
  tags: string[]
  featured?: boolean
  /** Age in days on the day of the seed. */
  daysAgo: number
  content: string
}

export interface DemoSite {
  /** A store's id, or `central`. */
  site: string
  /** A user of the site. */
  author: { email: string; name: string }
  categories: (Named & { parent?: string })[]
  tags: Named[]
  posts: DemoPost[]
  pages: (Named & { content: string; template?: string })[]
}
