// Storefront part of the journal, a store's blog.
import { createSitemapLoader } from "../crawlers/sitemap"
import { createListLoader } from "../list"
import type { Section, StorefrontPart } from "../part"
import { JOURNAL } from "../paths"
import type { Post, PostSummary } from "./data"
import { PostGrid } from "./grid"
import { renderPostPage } from "./post"
import { renderPostsPage } from "./posts"
import { selectLatestPosts, selectOtherPosts, selectPost, selectPostsForSitemap, selectPublishedPosts } from "./queries"
import { ALL_POSTS, JOURNAL_NAME, LATEST, READ_JOURNAL } from "./strings"

export const journal: StorefrontPart = {
  path: JOURNAL,
  menu: JOURNAL_NAME,
  section: ({ siteId: site }) => ({
    reads: [selectLatestPosts({ site })],
    load: ([posts = []]) => (posts.length ? toPostsSection(posts as PostSummary[]) : null),
  }),
  list: createListLoader<PostSummary>(
    "posts",
    (db, { limit, offset }, direction) =>
      selectPublishedPosts(db, { backward: direction === "backward" })
        .limit(limit)
        .offset(offset),
    renderPostsPage,
  ),
  sitemap: createSitemapLoader(JOURNAL, "posts", selectPostsForSitemap),
  single: ({ siteId: site }, slug) => ({
    reads: [selectPost({ site }, slug), selectOtherPosts({ site }, slug)],
    load([posts, others = []]) {
      const post = posts?.[0]
      return post ? renderPostPage(post as Post, others as PostSummary[]) : null
    },
  }),
}

/** Builds the front page section with the latest posts. */
export const toPostsSection = (posts: PostSummary[]): Section => ({
  path: JOURNAL,
  title: LATEST,
  viewAll: ALL_POSTS,
  callToAction: READ_JOURNAL,
  image: null,
  body: (view) => <PostGrid view={view} posts={posts} />,
})
