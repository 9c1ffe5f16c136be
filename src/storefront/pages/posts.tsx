// All posts of the shop's journal, page by page.
import { PostGrid } from "../components/grid"
import { ListPage } from "../components/list-page"
import type { Page } from "../data"
import type { Sheet } from "../layout"
import { pageOf, paths } from "../paths"
import type { View } from "../view"

export function posts(view: View, page: Extract<Page, { kind: "posts" }>): Sheet {
  const { words, shop } = view
  return {
    meta: {
      title: words.journal,
      description: `${words.journal} · ${shop.name}`,
      path: pageOf(paths.posts, page.pagination.page),
    },
    section: paths.posts,
    body: (
      <ListPage
        view={view}
        title={words.journal}
        path={paths.posts}
        pagination={page.pagination}
        empty={page.posts.length ? null : words.noPosts}
      >
        <PostGrid view={view} posts={page.posts} level="h2" />
      </ListPage>
    ),
  }
}
