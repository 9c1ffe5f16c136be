// Paginated list of journal posts.
import { ListPage } from "../components/list-page"
import type { Pagination } from "../data"
import type { Page } from "../part"
import { JOURNAL, listPath } from "../paths"
import type { PostSummary } from "./data"
import { PostGrid } from "./grid"
import { JOURNAL_NAME, NO_POSTS } from "./strings"

export const renderPostsPage =
  (posts: PostSummary[], pagination: Pagination): Page =>
  (view) => ({
    meta: {
      title: view.translate(JOURNAL_NAME),
      description: `${view.translate(JOURNAL_NAME)} · ${view.shop.name}`,
      path: listPath(JOURNAL, pagination.page),
    },
    section: listPath(JOURNAL),
    body: (
      <ListPage
        view={view}
        title={view.translate(JOURNAL_NAME)}
        part={JOURNAL}
        pagination={pagination}
        empty={posts.length ? null : view.translate(NO_POSTS)}
      >
        <PostGrid view={view} posts={posts} level="h2" />
      </ListPage>
    ),
  })
