// Storefront part of the journal, a store's blog.
import { createSitemapLoader } from "../crawlers/sitemap"
import { createListLoader, toListParams } from "../list"
import type { Section, StorefrontPart } from "../part"
import { JOURNAL } from "../paths"
import type { Post, PostSummary } from "./data"
import { PostGrid } from "./grid"
import { renderPostPage } from "./post"
import { renderPostsPage } from "./posts"
import {
  publicPostTotal,
  selectAnyPost,
  selectLatestPosts,
  selectOtherPosts,
  selectPost,
  selectPostsForSitemap,
  selectPublishedPosts,
} from "./queries"
import { ALL_POSTS, JOURNAL_NAME, LATEST, READ_JOURNAL } from "./strings"

export const journal: StorefrontPart = {
  path: JOURNAL,
  menu: JOURNAL_NAME,
  section: (scope) => ({
    reads: [selectLatestPosts(toListParams(scope))],
    load: ([posts = []]) => (posts.length ? toPostsSection(posts as PostSummary[]) : null),
  }),
  list: createListLoader<PostSummary>(
    publicPostTotal,
    (db, { limit, offset }, direction) =>
      selectPublishedPosts(db, { backward: direction === "backward" })
        .limit(limit)
        .offset(offset),
    renderPostsPage,
  ),
  sitemap: createSitemapLoader(JOURNAL, publicPostTotal, selectPostsForSitemap),
  single: (scope, slug) => ({
    reads: [
      (scope.includesUnpublished ? selectAnyPost : selectPost)(toListParams(scope), slug),
      selectOtherPosts(toListParams(scope), slug),
    ],
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
