// All posts of the journal, page by page.
import { ListPage } from "../components/list-page"
import type { Pagination } from "../data"
import type { Page } from "../part"
import { JOURNAL, listPath } from "../paths"
import type { PostSummary } from "./data"
import { PostGrid } from "./grid"
import { JOURNAL_NAME, NO_POSTS } from "./strings"

export const postsPage =
  (posts: PostSummary[], pagination: Pagination): Page =>
  (view) => ({
    meta: {
      title: view.say(JOURNAL_NAME),
      description: `${view.say(JOURNAL_NAME)} · ${view.shop.name}`,
      path: listPath(JOURNAL, pagination.page),
    },
    section: listPath(JOURNAL),
    body: (
      <ListPage
        view={view}
        title={view.say(JOURNAL_NAME)}
        part={JOURNAL}
        pagination={pagination}
        empty={posts.length ? null : view.say(NO_POSTS)}
      >
        <PostGrid view={view} posts={posts} level="h2" />
      </ListPage>
    ),
  })
