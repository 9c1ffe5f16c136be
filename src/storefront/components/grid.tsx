// Lists of products, posts and galleries as grids of linked cards.
import type { Gallery, PostSummary, Product } from "../data"
import { paths } from "../paths"
import { excerpt } from "../text/rich-text"
import type { View } from "../view"
import { Frame } from "./frame"

/** The level of a card's heading: under a section's title, or right under the page's. */
type Level = "h2" | "h3"

/** How many a list holds, up to the four that fill a row: the stylesheet arranges few on purpose. */
function count(items: readonly unknown[]): string {
  return `of-${Math.min(items.length, 4)}`
}

/** `lead` lets a theme show the first one large. */
type ProductGridProps = { view: View; products: Product[]; level?: Level; lead?: boolean }

export function ProductGrid({ view, products, level: Name = "h3", lead = false }: ProductGridProps) {
  return (
    <ul class={`grid products ${count(products)}${lead ? " lead" : ""}`}>
      {products.map((product) => (
        <li key={product.id} class="product">
          <a href={paths.product(product.slug)}>
            <Frame name={product.name} image={product.image} format="tall" />
            <Name class="name">{product.name}</Name>
            <p class="price">{view.price(product.priceCents, product.currency)}</p>
          </a>
        </li>
      ))}
    </ul>
  )
}

export function PostGrid({ view, posts, level: Name = "h3" }: { view: View; posts: PostSummary[]; level?: Level }) {
  return (
    <ul class={`grid posts ${count(posts)}`}>
      {posts.map((post) => (
        <li key={post.id} class="post">
          <a href={paths.post(post.slug)}>
            <Frame name={post.name} image={post.image} format="wide" />
            <time datetime={post.publishedAt.toISOString()}>{view.date(post.publishedAt)}</time>
            <Name class="name">{post.name}</Name>
            {post.description && <p>{excerpt(post.description, 140)}</p>}
          </a>
        </li>
      ))}
    </ul>
  )
}

export function GalleryGrid({ galleries, level: Name = "h3" }: { galleries: Gallery[]; level?: Level }) {
  return (
    <ul class={`grid galleries ${count(galleries)}`}>
      {galleries.map((gallery) => (
        <li key={gallery.id} class="gallery">
          <a href={paths.gallery(gallery.slug)}>
            <Frame name={gallery.name} image={gallery.image} format="wide" />
            <Name class="name">{gallery.name}</Name>
          </a>
        </li>
      ))}
    </ul>
  )
}
