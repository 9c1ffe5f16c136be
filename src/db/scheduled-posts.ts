// Builds the conditions of scheduled posts: published ones whose date of publication is still to come. They are judged
// when they are read, so no job has to publish them. The statements have the parameters `site` and `now`.
import { and, eq, type SQL, sql } from "drizzle-orm"
import { param } from "./prepared"
import { posts } from "./schema/sites/posts"

/** Finds them by the index `posts_scheduled`, which contains only posts that were saved before they appear. */
const isScheduledInIndex = and(
  eq(posts.siteId, param("site")),
  sql`${posts.publishedAt} > ${posts.updatedAt}`,
  sql`${posts.publishedAt} > ${param("now")}`,
)

/** The ids of the scheduled posts of a status, as a subquery. */
const scheduledIds = sql`(select ${posts.id} from ${posts} where ${isScheduledInIndex})`

/** The condition that a post in a list is not scheduled. It costs one row per scheduled post, not per post. */
export const isNotScheduled = (): SQL => sql`${posts.id} not in ${scheduledIds}`

/** The condition that a post in a list is scheduled. */
export const isScheduled = (): SQL => sql`${posts.id} in ${scheduledIds}`

/** The number of scheduled posts. */
export const scheduledTotal = (): SQL =>
  sql`(select count(*) from ${posts} where ${isScheduledInIndex} and ${posts.status} = 'published')`
