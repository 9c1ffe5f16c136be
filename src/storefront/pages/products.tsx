// All products of the shop, page by page.
import { ProductGrid } from "../components/grid"
import { ListPage } from "../components/list-page"
import type { Page } from "../data"
import type { Sheet } from "../layout"
import { pageOf, paths } from "../paths"
import type { View } from "../view"

export function products(view: View, page: Extract<Page, { kind: "products" }>): Sheet {
  const { words, shop } = view
  return {
    meta: {
      title: words.products,
      description: `${words.allProducts} · ${shop.name}`,
      path: pageOf(paths.products, page.pagination.page),
      image: page.products.find((product) => product.image)?.image,
    },
    section: paths.products,
    body: (
      <ListPage
        view={view}
        title={words.products}
        path={paths.products}
        pagination={page.pagination}
        empty={page.products.length ? null : words.noProducts}
      >
        <ProductGrid view={view} products={page.products} level="h2" />
      </ListPage>
    ),
  }
}
