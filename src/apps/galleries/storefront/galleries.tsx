// All galleries of the shop, page by page.
import { ListPage } from "../../../storefront/components/list-page"
import type { Pagination } from "../../../storefront/data"
import type { Page } from "../../../storefront/part"
import { listPath } from "../../../storefront/paths"
import { type Gallery, PATH } from "./data"
import { GalleryGrid } from "./grid"
import { GALLERIES, NO_GALLERIES } from "./strings"

export const galleriesPage =
  (galleries: Gallery[], pagination: Pagination): Page =>
  (view) => ({
    meta: {
      title: view.say(GALLERIES),
      description: `${view.say(GALLERIES)} · ${view.shop.name}`,
      path: listPath(PATH, pagination.page),
      image: galleries.find((gallery) => gallery.image)?.image,
    },
    section: listPath(PATH),
    body: (
      <ListPage
        view={view}
        title={view.say(GALLERIES)}
        part={PATH}
        pagination={pagination}
        empty={galleries.length ? null : view.say(NO_GALLERIES)}
      >
        <GalleryGrid galleries={galleries} level="h2" />
      </ListPage>
    ),
  })
