// Queries for published journal posts.
import { and, asc, desc, eq, not, type SQL, sql } from "drizzle-orm"
import type { Slice } from "../../core/list/page"
import type { SiteDatabase } from "../../db/client"
import { param, prepareSiteRead } from "../../db/prepared"
import { prepareReadByIdOrSlug } from "../../db/prepared-by-slug"
import { posts } from "../../db/schema/sites/posts"
import { users } from "../../db/schema/sites/users"
import type { FeedPost } from "../crawlers/feed"
import type { Post, PostSummary } from "./data"

interface SiteParams {
  site: string
}

const LATEST_COUNT = 3
const MORE_COUNT = 3
const FEED_COUNT = 20

const columns = {
  id: posts.id,
  slug: posts.slug,
  name: posts.name,
  description: posts.description,
  image: posts.image,
  publishedAt: posts.createdAt,
}

const site = param("site")
const isPublished = eq(posts.status, "published")

const author = sql<string | null>`(select trim(${users.firstName} || ' ' || ${users.lastName}) from ${users}
  where ${users.id} = ${posts.authorId} and ${users.siteId} = ${site})`

/** Builds the query for published posts, newest first. */
export const selectPublishedPosts = (
  db: SiteDatabase,
  { backward = false, condition }: { backward?: boolean; condition?: SQL } = {},
) => {
  const order = backward ? asc : desc
  return db
    .select(columns)
    .from(posts)
    .where(and(isPublished, condition))
    .orderBy(order(posts.createdAt), order(posts.id))
    .$dynamic()
}

/** Selects the latest posts for the front page. */
export const selectLatestPosts = prepareSiteRead<PostSummary, SiteParams>((db) =>
  selectPublishedPosts(db).limit(LATEST_COUNT),
)

/** Selects a post with its author's name. */
export const selectPost = prepareReadByIdOrSlug<Post, SiteParams>(posts, (db, matchesIdOrSlug) =>
  db
    .select({ ...columns, content: posts.content, author: author.as("author") })
    .from(posts)
    .where(and(isPublished, matchesIdOrSlug)),
)

/** Selects the latest posts except the given one. */
export const selectOtherPosts = prepareReadByIdOrSlug<PostSummary, SiteParams>(posts, (db, matchesIdOrSlug) =>
  selectPublishedPosts(db, { condition: not(matchesIdOrSlug) }).limit(MORE_COUNT),
)

/** Selects the latest posts for the feed. */
export const selectFeedPosts = prepareSiteRead<FeedPost, SiteParams>((db) =>
  db
    .select({ ...columns, content: posts.content })
    .from(posts)
    .where(isPublished)
    .orderBy(desc(posts.createdAt), desc(posts.id))
    .limit(FEED_COUNT),
)

/** Builds the query for a slice of the published posts, newest first. */
export const selectPostsForSitemap = (
  db: SiteDatabase,
  { limit, offset }: Slice,
  direction: "forward" | "backward",
) => {
  const order = direction === "backward" ? asc : desc
  return db
    .select({ slug: posts.slug, updatedAt: posts.updatedAt })
    .from(posts)
    .where(isPublished)
    .orderBy(order(posts.createdAt), order(posts.id))
    .limit(limit)
    .offset(offset)
}
