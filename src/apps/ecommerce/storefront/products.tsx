// Paginated list of products, with its order and filters.
import { ListPage } from "../../../storefront/components/list-page"
import type { Pagination } from "../../../storefront/data"
import { formatListQuery, isChanged, isFiltered, type ListQuery, WHOLE_LIST } from "../../../storefront/list-query"
import type { Page } from "../../../storefront/part"
import { listPath } from "../../../storefront/paths"
import { PATH, type Product } from "./data"
import { ProductFilters } from "./filters"
import { ProductGrid } from "./grid"
import { ALL_PRODUCTS, NO_MATCHES, NO_PRODUCTS, SHOP } from "./strings"

/** @param query the order and the filters that the products were selected with */
export const renderProductsPage =
  (products: Product[], pagination: Pagination, query: ListQuery = WHOLE_LIST): Page =>
  (view) => {
    const isEmptyShop = !products.length && !isFiltered(query)
    return {
      meta: {
        title: view.translate(SHOP),
        description: `${view.translate(ALL_PRODUCTS)} · ${view.shop.name}`,
        // Search engines index the whole list only.
        path: isChanged(query) ? null : listPath(PATH, pagination.page),
        image: products.find((product) => product.image)?.image,
      },
      section: listPath(PATH),
      body: (
        <ListPage
          view={view}
          title={view.translate(SHOP)}
          part={PATH}
          pagination={pagination}
          empty={products.length ? null : view.translate(isEmptyShop ? NO_PRODUCTS : NO_MATCHES)}
          filters={isEmptyShop ? null : <ProductFilters view={view} query={query} />}
          query={formatListQuery(query)}
        >
          <ProductGrid view={view} products={products} level="h2" />
        </ListPage>
      ),
    }
  }
