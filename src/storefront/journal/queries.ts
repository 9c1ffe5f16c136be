// What the journal shows, read from the site database.
import { and, asc, desc, eq, not, type SQL, sql } from "drizzle-orm"
import type { SiteDatabase } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { compiledByName } from "../../db/prepared-by-slug"
import { posts } from "../../db/schema/sites/posts"
import { users } from "../../db/schema/sites/users"
import type { Post, PostSummary } from "./data"

interface Site {
  site: string
}

const LATEST = 3
const MORE = 3

const columns = {
  id: posts.id,
  slug: posts.slug,
  name: posts.name,
  description: posts.description,
  image: posts.image,
  publishedAt: posts.createdAt,
}

const site = given("site")
const published = and(eq(posts.siteId, site), eq(posts.status, "published"))

const author = sql<string | null>`(select trim(${users.firstName} || ' ' || ${users.lastName}) from ${users}
  where ${users.id} = ${posts.authorId} and ${users.siteId} = ${site})`

/** Published posts, the newest first. */
export const selectPosts = (db: SiteDatabase, { backward = false, also }: { backward?: boolean; also?: SQL } = {}) => {
  const order = backward ? asc : desc
  return db
    .select(columns)
    .from(posts)
    .where(and(published, also))
    .orderBy(order(posts.createdAt), order(posts.id))
    .$dynamic()
}

/** The newest posts of a site. */
export const latest = compiled<PostSummary, Site>((db) => selectPosts(db).limit(LATEST))

/** One post, and who wrote it. */
export const onePost = compiledByName<Post, Site>(posts, (db, isIt) =>
  db
    .select({ ...columns, content: posts.content, author: author.as("author") })
    .from(posts)
    .where(and(published, isIt)),
)

/** The newest posts but one. */
export const otherPosts = compiledByName<PostSummary, Site>(posts, (db, isIt) =>
  selectPosts(db, { also: not(isIt) }).limit(MORE),
)
