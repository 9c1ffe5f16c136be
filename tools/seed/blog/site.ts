// What the demo data says of one site's blog and pages; the operator's commands of the same names take it as it is.

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
  /** How old it is on the day of the seed. */
  daysAgo: number
  content: string
}

export interface DemoSite {
  /** A store's id, or `central`. */
  site: string
  /** Who writes: a user of the site. */
  author: { email: string; name: string }
  categories: (Named & { parent?: string })[]
  tags: Named[]
  posts: DemoPost[]
  pages: (Named & { content: string; template?: string })[]
}
