// Front page: the shop's name and a picture, then the sections of its parts, or a notice when there are none yet.
import { Frame } from "../components/frame"
import { TitledSection } from "../components/section"
import type { Page, Section } from "../part"
import { HOME, listPath } from "../paths"

/** @param sections non-empty sections of the storefront parts, in order */
export const renderHome =
  (sections: readonly Section[]): Page =>
  (view) => {
    const { shop, strings } = view
    const picture = sections.find((section) => section.image)?.image ?? null
    const [first] = sections
    return {
      meta: { title: null, description: shop.tagline ?? shop.name, path: HOME, image: picture },
      body: (
        <>
          <div class="hero">
            <div class="shell">
              <div class="hero-text">
                <h1>{shop.name}</h1>
                {shop.tagline && <p class="lede">{shop.tagline}</p>}
                {first ? (
                  <a class="button" href={listPath(first.path)}>
                    {view.translate(first.callToAction)}
                  </a>
                ) : (
                  <p class="lede">{strings.opening}</p>
                )}
              </div>
              <Frame class="hero-picture" name={shop.name} image={picture} format="panorama" eager />
            </div>
          </div>
          {sections.map(({ path, title, viewAll, body }) => (
            <TitledSection
              key={path}
              id={path}
              title={view.translate(title)}
              more={{ href: listPath(path), name: view.translate(viewAll) }}
            >
              {body(view)}
            </TitledSection>
          ))}
        </>
      ),
    }
  }
