/** Lists of products, posts and galleries as grids of linked cards. */
import type { Gallery, PostSummary, Product } from "../data"
import { paths } from "../paths"
import { excerpt } from "../text/rich-text"
import type { View } from "../view"
import { Frame } from "./frame"

/** How many a list holds, up to the four that fill a row: the stylesheet arranges few on purpose. */
function count(items: readonly unknown[]): string {
  return `of-${Math.min(items.length, 4)}`
}

/** `lead` lets a theme show the first one large. */
export function ProductGrid({ view, products, lead = false }: { view: View; products: Product[]; lead?: boolean }) {
  return (
    <ul class={`grid products ${count(products)}${lead ? " lead" : ""}`}>
      {products.map((product) => (
        <li key={product.id} class="product">
          <a href={paths.product(product.slug)}>
            <Frame name={product.name} image={product.image} format="tall" />
            <h3>{product.name}</h3>
            <p class="price">{view.price(product.priceCents, product.currency)}</p>
          </a>
        </li>
      ))}
    </ul>
  )
}

export function PostGrid({ view, posts }: { view: View; posts: PostSummary[] }) {
  return (
    <ul class={`grid posts ${count(posts)}`}>
      {posts.map((post) => (
        <li key={post.id} class="post">
          <a href={paths.post(post.slug)}>
            <Frame name={post.name} image={post.image} format="wide" />
            <time datetime={post.publishedAt.toISOString()}>{view.date(post.publishedAt)}</time>
            <h3>{post.name}</h3>
            {post.description && <p>{excerpt(post.description, 140)}</p>}
          </a>
        </li>
      ))}
    </ul>
  )
}

export function GalleryGrid({ galleries }: { galleries: Gallery[] }) {
  return (
    <ul class={`grid galleries ${count(galleries)}`}>
      {galleries.map((gallery) => (
        <li key={gallery.id} class="gallery">
          <a href={paths.gallery(gallery.slug)}>
            <Frame name={gallery.name} image={gallery.image} format="wide" />
            <h3>{gallery.name}</h3>
          </a>
        </li>
      ))}
    </ul>
  )
}
