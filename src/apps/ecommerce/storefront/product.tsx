// One product: its picture, price and description, and what else there is.

import { decimalAmount } from "../../../lib/intl"
import { Frame } from "../../../storefront/components/frame"
import { TitledSection } from "../../../storefront/components/section"
import type { Shop } from "../../../storefront/data"
import { absoluteImage } from "../../../storefront/head"
import type { Page } from "../../../storefront/part"
import { absolute, HOME, listPath, singlePath } from "../../../storefront/paths"
import { excerpt, richText } from "../../../storefront/text/rich-text"
import { PATH, type Product } from "./data"
import { ProductGrid } from "./grid"
import { ALL_PRODUCTS, RELATED, SHOP } from "./strings"

/** @param related other products of the shop */
export const productPage =
  (product: Product, related: Product[]): Page =>
  (view) => ({
    meta: {
      title: product.name,
      description:
        excerpt(product.description, 160) || `${product.name} · ${view.price(product.priceCents, product.currency)}`,
      path: singlePath(PATH, product.slug),
      image: product.image,
      type: "product",
      structuredData: structuredData(view.shop, product),
    },
    section: listPath(PATH),
    body: (
      <>
        <article class="detail section shell">
          <nav class="crumbs" aria-label={view.words.breadcrumb}>
            <ol>
              <li>
                <a href={HOME}>{view.words.home}</a>
              </li>
              <li>
                <a href={listPath(PATH)}>{view.say(SHOP)}</a>
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
          <TitledSection
            id="related"
            title={view.say(RELATED)}
            more={{ href: listPath(PATH), name: view.say(ALL_PRODUCTS) }}
          >
            <ProductGrid view={view} products={related} />
          </TitledSection>
        )}
      </>
    ),
  })

/** https://schema.org/Product with its one offer. */
function structuredData(shop: Shop, product: Product): Record<string, unknown> {
  const url = absolute(shop.rootUrl, singlePath(PATH, product.slug))
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
