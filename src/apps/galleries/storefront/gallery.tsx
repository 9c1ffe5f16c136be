// Page of a single gallery: its pictures with their captions.
import { Art } from "../../../storefront/art/art"
import type { Page } from "../../../storefront/part"
import { listPath, singlePath } from "../../../storefront/paths"
import { excerpt } from "../../../storefront/text/rich-text"
import { safeImage } from "../../../storefront/text/safe-url"
import { type Gallery, PATH, type Picture } from "./data"
import { NO_PICTURES } from "./strings"

export function renderGalleryPage(gallery: Gallery, pictures: Picture[]): Page {
  const visible = pictures.flatMap(({ image, caption }) => {
    const source = safeImage(image)
    return source ? [{ source, caption: caption?.trim() }] : []
  })
  return (view) => ({
    meta: {
      title: gallery.name,
      description: excerpt(gallery.description, 160) || gallery.name,
      path: singlePath(PATH, gallery.slug),
      image: gallery.image ?? visible[0]?.source,
    },
    section: listPath(PATH),
    body: (
      <>
        <div class="page-head shell">
          <h1>{gallery.name}</h1>
          {gallery.description && <p class="lede">{excerpt(gallery.description, 400)}</p>}
        </div>
        <div class="section shell">
          {visible.length > 0 ? (
            <div class="pictures">
              {visible.map(({ source, caption }) => (
                <figure key={source}>
                  <img src={source} alt={caption || gallery.name} loading="lazy" decoding="async" />
                  {caption && <figcaption>{caption}</figcaption>}
                </figure>
              ))}
            </div>
          ) : (
            <>
              <div class="frame">
                <Art name={gallery.name} format="panorama" />
              </div>
              <p class="quiet">{view.translate(NO_PICTURES)}</p>
            </>
          )}
        </div>
      </>
    ),
  })
}
