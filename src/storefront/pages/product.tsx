// One product: its picture, price and description, and what else there is.

import { decimalAmount } from "../../lib/written"
import { Frame } from "../components/frame"
import { ProductGrid } from "../components/grid"
import { Section } from "../components/section"
import type { Page, Product, Shop } from "../data"
import { absoluteImage } from "../head"
import type { Sheet } from "../layout"
import { absolute, paths } from "../paths"
import { excerpt, richText } from "../text/rich-text"
import type { View } from "../view"

export function product(view: View, page: Extract<Page, { kind: "product" }>): Sheet {
  const { words, shop } = view
  const { product, related = [] } = page
  return {
    meta: {
      title: product.name,
      description:
        excerpt(product.description, 160) || `${product.name} · ${view.price(product.priceCents, product.currency)}`,
      path: paths.product(product.slug),
      image: product.image,
      type: "product",
      structuredData: structuredData(shop, product),
    },
    section: paths.products,
    body: (
      <>
        <article class="detail section shell">
          <nav class="crumbs" aria-label={words.breadcrumb}>
            <ol>
              <li>
                <a href={paths.home}>{words.home}</a>
              </li>
              <li>
                <a href={paths.products}>{words.products}</a>
              </li>
            </ol>
          </nav>
          <div class="detail-grid">
            <Frame name={product.name} image={product.image} alt={product.name} format="tall" eager />
            <div class="detail-words">
              <h1>{product.name}</h1>
              <p class="price">{view.price(product.priceCents, product.currency)}</p>
              {product.description && <div class="prose">{richText(product.description)}</div>}
            </div>
          </div>
        </article>
        {related.length > 0 && (
          <Section id="related" title={words.related} more={{ href: paths.products, name: words.allProducts }}>
            <ProductGrid view={view} products={related} />
          </Section>
        )}
      </>
    ),
  }
}

/** https://schema.org/Product with its one offer. */
function structuredData(shop: Shop, product: Product): Record<string, unknown> {
  const url = absolute(shop.rootUrl, paths.product(product.slug))
  return {
    "@context": "https://schema.org",
    "@type": "Product",
    name: product.name,
    description: excerpt(product.description, 500) || undefined,
    image: (product.image && absoluteImage(shop.rootUrl, product.image)) || undefined,
    url,
    offers: {
      "@type": "Offer",
      price: decimalAmount(product.priceCents, product.currency),
      priceCurrency: product.currency,
      url,
      seller: { "@type": "Organization", name: shop.name },
    },
  }
}
