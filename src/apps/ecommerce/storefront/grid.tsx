// Grid of product cards.
import { Frame } from "../../../storefront/components/frame"
import { Grid, type HeadingLevel } from "../../../storefront/components/grid"
import { singlePath } from "../../../storefront/paths"
import type { View } from "../../../storefront/view"
import { PATH, type Product } from "./data"

type Props = { view: View; products: Product[]; level?: HeadingLevel; lead?: boolean }

/** `lead` lets a theme enlarge the first product. */
export function ProductGrid({ view, products, level: Name = "h3", lead = false }: Props) {
  return (
    <Grid kind="products" count={products.length} lead={lead}>
      {products.map((product) => (
        <li key={product.id} class="product">
          <a href={singlePath(PATH, product.slug)}>
            <Frame name={product.name} image={product.image} format="tall" />
            <Name class="name">{product.name}</Name>
            <p class="price">{view.formatPrice(product.priceCents, product.currency)}</p>
          </a>
        </li>
      ))}
    </Grid>
  )
}
