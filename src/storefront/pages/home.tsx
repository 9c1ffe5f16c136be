// The front page: the shop's name over a picture, then whatever the shop has; a shop that has nothing yet says so well.
import { Frame } from "../components/frame"
import { GalleryGrid, PostGrid, ProductGrid } from "../components/grid"
import { Section } from "../components/section"
import type { Page } from "../data"
import type { Sheet } from "../layout"
import { paths } from "../paths"
import type { View } from "../view"

type Home = Extract<Page, { kind: "home" }>

export function home(view: View, { products, posts, galleries = [] }: Home): Sheet {
  const { shop, words } = view
  const picture = [...galleries, ...products].find((item) => item.image)?.image ?? null
  const empty = products.length + posts.length + galleries.length === 0
  const door = products.length
    ? { href: paths.products, name: words.seeProducts }
    : galleries.length
      ? { href: paths.galleries, name: words.seeGalleries }
      : posts.length
        ? { href: paths.posts, name: words.readJournal }
        : null
  return {
    meta: { title: null, description: shop.tagline ?? shop.name, path: paths.home, image: picture },
    body: (
      <>
        <div class="hero">
          <div class="shell">
            <div class="hero-words">
              <h1>{shop.name}</h1>
              {shop.tagline && <p class="lede">{shop.tagline}</p>}
              {empty && <p class="lede">{words.opening}</p>}
              {door && (
                <a class="button" href={door.href}>
                  {door.name}
                </a>
              )}
            </div>
            <Frame class="hero-picture" name={shop.name} image={picture} format="panorama" eager />
          </div>
        </div>
        {galleries.length > 0 && (
          <Section id="galleries" title={words.galleries} more={{ href: paths.galleries, name: words.allGalleries }}>
            <GalleryGrid galleries={galleries} />
          </Section>
        )}
        {products.length > 0 && (
          <Section id="products" title={words.featured} more={{ href: paths.products, name: words.allProducts }}>
            <ProductGrid view={view} products={products} lead />
          </Section>
        )}
        {posts.length > 0 && (
          <Section id="posts" title={words.latest} more={{ href: paths.posts, name: words.allPosts }}>
            <PostGrid view={view} posts={posts} />
          </Section>
        )}
      </>
    ),
  }
}
