// Products as a grid of linked cards.
import { Frame } from "../../../storefront/components/frame"
import { Grid, type Level } from "../../../storefront/components/grid"
import { singlePath } from "../../../storefront/paths"
import type { View } from "../../../storefront/view"
import { PATH, type Product } from "./data"

type Props = { view: View; products: Product[]; level?: Level; lead?: boolean }

/** `lead` lets a theme show the first product large. */
export function ProductGrid({ view, products, level: Name = "h3", lead = false }: Props) {
  return (
    <Grid kind="products" count={products.length} lead={lead}>
      {products.map((product) => (
        <li key={product.id} class="product">
          <a href={singlePath(PATH, product.slug)}>
            <Frame name={product.name} image={product.image} format="tall" />
            <Name class="name">{product.name}</Name>
            <p class="price">{view.price(product.priceCents, product.currency)}</p>
          </a>
        </li>
      ))}
    </Grid>
  )
}
