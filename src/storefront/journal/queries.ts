// Queries for published journal posts.
import { and, asc, desc, eq, not, type SQL, sql } from "drizzle-orm"
import { selectSiteCounter } from "../../core/list/site-totals"
import type { SiteDatabase } from "../../db/client"
import { param, prepareSiteRead } from "../../db/prepared"
import { prepareReadByIdOrSlug } from "../../db/prepared-by-slug"
import { isNotScheduled, scheduledTotal } from "../../db/scheduled-posts"
import { categories, postCategories, posts } from "../../db/schema/sites/posts"
import { users } from "../../db/schema/sites/users"
import type { FeedPost } from "../crawlers/feed"
import { selectSitemapEntries } from "../crawlers/queries"
import type { ListParams } from "../list"
import type { Post, PostSummary } from "./data"

const LATEST_COUNT = 3
const MORE_COUNT = 3
const FEED_COUNT = 20
const CATEGORY_COUNT = 24

const columns = {
  id: posts.id,
  slug: posts.slug,
  name: posts.name,
  description: posts.description,
  image: posts.image,
  publishedAt: sql<Date>`coalesce(${posts.publishedAt}, ${posts.createdAt})`.mapWith(posts.createdAt).as("appeared_at"),
}

const site = param("site")
const isPublished = and(eq(posts.status, "published"), isNotScheduled())

/** The number of public posts: the published ones, without those that are scheduled for later. */
export const publicPostTotal = sql`(${selectSiteCounter(param("site"), "posts", "published")} - ${scheduledTotal()})`

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
export const selectLatestPosts = prepareSiteRead<PostSummary, ListParams>((db) =>
  selectPublishedPosts(db).limit(LATEST_COUNT),
)

const preparePost = (condition: SQL | undefined) =>
  prepareReadByIdOrSlug<Post, ListParams>(posts, (db, matchesIdOrSlug) =>
    db
      .select({ ...columns, content: posts.content, author: author.as("author") })
      .from(posts)
      .where(and(condition, matchesIdOrSlug)),
  )

/** Selects a post with its author's name. */
export const selectPost = preparePost(isPublished)

/** Selects a post for a preview, whatever its status. */
export const selectAnyPost = preparePost(undefined)

/** Selects the latest posts except the given one. */
export const selectOtherPosts = prepareReadByIdOrSlug<PostSummary, ListParams>(posts, (db, matchesIdOrSlug) =>
  selectPublishedPosts(db, { condition: not(matchesIdOrSlug) }).limit(MORE_COUNT),
)

export interface Category {
  slug: string
  name: string
  description: string | null
}

/** Selects a category. */
export const selectCategory = prepareReadByIdOrSlug<Category, ListParams>(categories, (db, matchesIdOrSlug) =>
  db
    .select({ slug: categories.slug, name: categories.name, description: categories.description })
    .from(categories)
    .where(matchesIdOrSlug),
)

/** Selects the latest posts of a category. Stops at their number, since the key is in the order of the posts' ids. */
export const selectPostsOfCategory = prepareReadByIdOrSlug<PostSummary, ListParams>(categories, (db, matchesIdOrSlug) =>
  db
    .select(columns)
    .from(categories)
    .innerJoin(postCategories, eq(postCategories.categoryId, categories.id))
    .innerJoin(posts, eq(posts.id, postCategories.postId))
    .where(and(matchesIdOrSlug, isPublished))
    .orderBy(desc(postCategories.postId))
    .limit(CATEGORY_COUNT),
)

/** The number of categories. */
export const categoryTotal = selectSiteCounter(param("site"), "categories")

/** The categories for the sitemap. The time of the last post of each is not known. */
export const selectCategoriesForSitemap = selectSitemapEntries(
  categories,
  null,
  undefined,
  categories.createdAt,
  categories.id,
)

/** Selects the latest posts for the feed. */
export const selectFeedPosts = prepareSiteRead<FeedPost, ListParams>((db) =>
  db
    .select({ ...columns, content: posts.content })
    .from(posts)
    .where(isPublished)
    .orderBy(desc(posts.createdAt), desc(posts.id))
    .limit(FEED_COUNT),
)

/** The published posts for the sitemap. */
export const selectPostsForSitemap = selectSitemapEntries(
  posts,
  posts.updatedAt,
  isPublished,
  posts.createdAt,
  posts.id,
)
