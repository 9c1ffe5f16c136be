// Paginated list of products.
import { ListPage } from "../../../storefront/components/list-page"
import type { Pagination } from "../../../storefront/data"
import type { Page } from "../../../storefront/part"
import { listPath } from "../../../storefront/paths"
import { PATH, type Product } from "./data"
import { ProductGrid } from "./grid"
import { ALL_PRODUCTS, NO_PRODUCTS, SHOP } from "./strings"

export const renderProductsPage =
  (products: Product[], pagination: Pagination): Page =>
  (view) => ({
    meta: {
      title: view.translate(SHOP),
      description: `${view.translate(ALL_PRODUCTS)} · ${view.shop.name}`,
      path: listPath(PATH, pagination.page),
      image: products.find((product) => product.image)?.image,
    },
    section: listPath(PATH),
    body: (
      <ListPage
        view={view}
        title={view.translate(SHOP)}
        part={PATH}
        pagination={pagination}
        empty={products.length ? null : view.translate(NO_PRODUCTS)}
      >
        <ProductGrid view={view} products={products} level="h2" />
      </ListPage>
    ),
  })
