// One gallery: all of its pictures, with their captions.
import { Art } from "../art/art"
import type { Page } from "../data"
import type { Sheet } from "../layout"
import { paths } from "../paths"
import { excerpt } from "../text/rich-text"
import { safeImage } from "../text/safe-url"
import type { View } from "../view"

export function gallery(view: View, { gallery, pictures }: Extract<Page, { kind: "gallery" }>): Sheet {
  const shown = pictures.flatMap(({ image, caption }) => {
    const source = safeImage(image)
    return source ? [{ source, caption: caption?.trim() }] : []
  })
  return {
    meta: {
      title: gallery.name,
      description: excerpt(gallery.description, 160) || gallery.name,
      path: paths.gallery(gallery.slug),
      image: gallery.image ?? shown[0]?.source,
    },
    section: paths.galleries,
    body: (
      <>
        <div class="page-head shell">
          <h1>{gallery.name}</h1>
          {gallery.description && <p class="lede">{excerpt(gallery.description, 400)}</p>}
        </div>
        <div class="section shell">
          {shown.length > 0 ? (
            <div class="pictures">
              {shown.map(({ source, caption }) => (
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
              <p class="quiet">{view.words.noPictures}</p>
            </>
          )}
        </div>
      </>
    ),
  }
}
