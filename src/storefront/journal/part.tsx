// The journal: a store's posts.
import { listOf } from "../list"
import type { Section, StorefrontPart } from "../part"
import { JOURNAL } from "../paths"
import type { Post, PostSummary } from "./data"
import { PostGrid } from "./grid"
import { postPage } from "./post"
import { postsPage } from "./posts"
import { latest, onePost, otherPosts, selectPosts } from "./queries"
import { ALL_POSTS, JOURNAL_NAME, LATEST, READ } from "./strings"

export const journal: StorefrontPart = {
  path: JOURNAL,
  menu: JOURNAL_NAME,
  section: ({ siteId: site }) => ({
    reads: [latest({ site })],
    found: ([posts = []]) => (posts.length ? postsSection(posts as PostSummary[]) : null),
  }),
  list: listOf<PostSummary>(
    "posts",
    (db, { limit, offset }, direction) =>
      selectPosts(db, { backward: direction === "backward" })
        .limit(limit)
        .offset(offset),
    postsPage,
  ),
  single: ({ siteId: site }, slug) => ({
    reads: [onePost({ site }, slug), otherPosts({ site }, slug)],
    found([posts, more = []]) {
      const post = posts?.[0]
      return post ? postPage(post as Post, more as PostSummary[]) : null
    },
  }),
}

/** The newest posts on the front page. */
export const postsSection = (posts: PostSummary[]): Section => ({
  path: JOURNAL,
  title: LATEST,
  all: ALL_POSTS,
  invitation: READ,
  image: null,
  body: (view) => <PostGrid view={view} posts={posts} />,
})
