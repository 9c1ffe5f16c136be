// Page of a category: its latest posts; and the sitemap of these pages.
import { ListPage } from "../components/list-page"
import { createSitemapLoader } from "../crawlers/sitemap"
import { toListParams } from "../list"
import type { Page, PageLoader, SiteScope } from "../part"
import { CATEGORIES, JOURNAL, singlePath } from "../paths"
import type { PostSummary } from "./data"
import { PostGrid } from "./grid"
import {
  type Category,
  categoryTotal,
  selectCategoriesForSitemap,
  selectCategory,
  selectPostsOfCategory,
} from "./queries"
import { NO_POSTS } from "./strings"

export const categoriesSitemap = createSitemapLoader(CATEGORIES, categoryTotal, selectCategoriesForSitemap)

/** Loads a category by its slug or id, with its latest posts. */
export const loadCategory = (scope: SiteScope, slug: string): PageLoader<Page> => ({
  reads: [selectCategory(toListParams(scope), slug), selectPostsOfCategory(toListParams(scope), slug)],
  load([categories, posts = []]) {
    const category = categories?.[0]
    return category ? renderCategory(category as Category, posts as PostSummary[]) : null
  },
})

const renderCategory =
  ({ slug, name, description }: Category, posts: PostSummary[]): Page =>
  (view) => ({
    meta: {
      title: name,
      description: description ?? `${name} · ${view.shop.name}`,
      path: singlePath(CATEGORIES, slug),
    },
    section: singlePath(CATEGORIES, slug),
    body: (
      <ListPage
        view={view}
        title={name}
        part={JOURNAL}
        pagination={{ page: 1, lastPage: 1 }}
        empty={posts.length ? null : view.translate(NO_POSTS)}
      >
        <PostGrid view={view} posts={posts} level="h2" />
      </ListPage>
    ),
  })
