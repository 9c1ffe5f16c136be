// Page of a single product: picture, price, description and related products.
import { decimalAmount, withColon } from "../../../lib/intl"
import { Frame } from "../../../storefront/components/frame"
import { TitledSection } from "../../../storefront/components/section"
import type { Shop } from "../../../storefront/data"
import { absoluteImageUrl } from "../../../storefront/document"
import type { Page } from "../../../storefront/part"
import { absoluteUrl, CART, HOME, listPath, singlePath } from "../../../storefront/paths"
import { excerpt, richText } from "../../../storefront/text/rich-text"
import { safeImage } from "../../../storefront/text/safe-url"
import type { View } from "../../../storefront/view"
import { ADD_TO_CART, QUANTITY } from "./cart/strings"
import { PATH, type Product } from "./data"
import { ProductGrid } from "./grid"
import { ALL_PRODUCTS, RELATED, SHOP, WHOLE_PICTURE } from "./strings"

/**
 * @param related other products of the shop
 * @param maxQuantity the largest quantity of a product that the shop takes in one order
 */
export const renderProductPage =
  (product: Product, related: Product[], maxQuantity: number): Page =>
  (view) => ({
    meta: {
      title: product.seoTitle ?? product.name,
      description:
        product.seoDescription ||
        excerpt(product.description, 160) ||
        `${product.name} · ${view.formatPrice(product.priceCents, product.currency)}`,
      path: singlePath(PATH, product.slug),
      image: product.image,
      type: "product",
      structuredData: buildStructuredData(view.shop, product),
    },
    section: listPath(PATH),
    body: (
      <article class="detail section shell">
        <nav class="crumbs" aria-label={view.strings.breadcrumb}>
          <ol>
            <li>
              <a href={HOME}>{view.strings.home}</a>
            </li>
            <li>
              <a href={listPath(PATH)}>{view.translate(SHOP)}</a>
            </li>
          </ol>
        </nav>
        <div class="detail-grid">
          <div>
            <Picture view={view} name={product.name} image={product.image} alt={product.name} eager />
            <FurtherImages view={view} product={product} />
          </div>
          <div class="detail-text">
            <h1>{product.name}</h1>
            <p class="price">{view.formatPrice(product.priceCents, product.currency)}</p>
            <AddToCart view={view} product={product} maxQuantity={maxQuantity} />
            {product.description && <div class="prose">{richText(product.description)}</div>}
          </div>
        </div>
      </article>
    ),
    more: related.length > 0 && (
      <TitledSection
        id="related"
        title={view.translate(RELATED)}
        more={{ href: listPath(PATH), name: view.translate(ALL_PRODUCTS) }}
      >
        <ProductGrid view={view} products={related} />
      </TitledSection>
    ),
  })

interface AddToCartProps {
  view: View
  product: Product
  maxQuantity: number
}

/** Adds the product to the cart; `price` is only compared with what the product costs then. */
function AddToCart({ view, product: { id, priceCents }, maxQuantity }: AddToCartProps) {
  return (
    <form method="post" action={CART} class="row add-to-cart">
      <input type="hidden" name="product_id" value={String(id)} />
      <input type="hidden" name="price" value={String(priceCents)} />
      <label for="quantity">{view.translate(QUANTITY)}</label>
      <input id="quantity" type="number" name="quantity" value="1" min="1" max={String(maxQuantity)} />
      <button class="button" type="submit" name="action" value="add">
        {view.translate(ADD_TO_CART)}
      </button>
    </form>
  )
}

interface PictureProps {
  view: View
  name: string
  image: string | null
  alt: string
  eager?: boolean
}

/** A picture in a frame, with a link to its file, because the frame is smaller or crops it. */
function Picture({ view, image, alt, ...rest }: PictureProps) {
  const source = safeImage(image)
  const frame = <Frame {...rest} image={image} alt={alt} format="tall" />
  if (!source) return frame
  return (
    <a class="picture" href={source} aria-label={`${withColon(view.translate(WHOLE_PICTURE), view.language)} ${alt}`}>
      {frame}
    </a>
  )
}

/** The images of a product after the first. */
function FurtherImages({ view, product: { name, images } }: { view: View; product: Product }) {
  const further = images?.slice(1) ?? []
  if (!further.length) return null
  return (
    <ul class="thumbnails">
      {further.map((image, index) => (
        <li key={image}>
          <Picture view={view} name={name} image={image} alt={`${name} ${index + 2}`} />
        </li>
      ))}
    </ul>
  )
}

/** Builds the https://schema.org/Product data with a single offer. */
function buildStructuredData(shop: Shop, product: Product): Record<string, unknown> {
  const url = absoluteUrl(shop.rootUrl, singlePath(PATH, product.slug))
  return {
    "@context": "https://schema.org",
    "@type": "Product",
    name: product.name,
    description: excerpt(product.description, 500) || undefined,
    image: listImageUrls(shop, product),
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

/** Lists the absolute URLs of a product's images; undefined for none, one text for a single image. */
function listImageUrls({ rootUrl }: Shop, { image, images }: Product): string | string[] | undefined {
  const urls = (images ?? (image ? [image] : [])).flatMap((url) => absoluteImageUrl(rootUrl, url) ?? [])
  return urls.length > 1 ? urls : urls[0]
}
