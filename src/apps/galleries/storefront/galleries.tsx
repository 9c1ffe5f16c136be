// Paginated list of galleries.
import { ListPage } from "../../../storefront/components/list-page"
import type { Pagination } from "../../../storefront/data"
import type { Page } from "../../../storefront/part"
import { listPath } from "../../../storefront/paths"
import { type Gallery, PATH } from "./data"
import { GalleryGrid } from "./grid"
import { GALLERIES, NO_GALLERIES } from "./strings"

export const renderGalleriesPage =
  (galleries: Gallery[], pagination: Pagination): Page =>
  (view) => ({
    meta: {
      title: view.translate(GALLERIES),
      description: `${view.translate(GALLERIES)} · ${view.shop.name}`,
      path: listPath(PATH, pagination.page),
      image: galleries.find((gallery) => gallery.image)?.image,
    },
    section: listPath(PATH),
    body: (
      <ListPage
        view={view}
        title={view.translate(GALLERIES)}
        part={PATH}
        pagination={pagination}
        empty={galleries.length ? null : view.translate(NO_GALLERIES)}
      >
        <GalleryGrid galleries={galleries} level="h2" />
      </ListPage>
    ),
  })
