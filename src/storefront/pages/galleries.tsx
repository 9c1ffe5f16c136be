// All galleries of the shop, page by page.
import { GalleryGrid } from "../components/grid"
import { ListPage } from "../components/list-page"
import type { Page } from "../data"
import type { Sheet } from "../layout"
import { pageOf, paths } from "../paths"
import type { View } from "../view"

export function galleries(view: View, page: Extract<Page, { kind: "galleries" }>): Sheet {
  const { words, shop } = view
  return {
    meta: {
      title: words.galleries,
      description: `${words.galleries} · ${shop.name}`,
      path: pageOf(paths.galleries, page.pagination.page),
      image: page.galleries.find((gallery) => gallery.image)?.image,
    },
    section: paths.galleries,
    body: (
      <ListPage
        view={view}
        title={words.galleries}
        path={paths.galleries}
        pagination={page.pagination}
        empty={page.galleries.length ? null : words.noGalleries}
      >
        <GalleryGrid galleries={page.galleries} level="h2" />
      </ListPage>
    ),
  }
}
