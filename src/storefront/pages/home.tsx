// The front page: the shop's name over a picture, then whatever the shop has; a shop that has nothing yet says so well.
import { Frame } from "../components/frame"
import { TitledSection } from "../components/section"
import type { Page, Section } from "../part"
import { HOME, listPath } from "../paths"

/** @param sections what the parts of the storefront have to show, in their order */
export const home =
  (sections: readonly Section[]): Page =>
  (view) => {
    const { shop, words } = view
    const picture = sections.find((section) => section.image)?.image ?? null
    const [first] = sections
    return {
      meta: { title: null, description: shop.tagline ?? shop.name, path: HOME, image: picture },
      body: (
        <>
          <div class="hero">
            <div class="shell">
              <div class="hero-words">
                <h1>{shop.name}</h1>
                {shop.tagline && <p class="lede">{shop.tagline}</p>}
                {first ? (
                  <a class="button" href={listPath(first.path)}>
                    {view.say(first.invitation)}
                  </a>
                ) : (
                  <p class="lede">{words.opening}</p>
                )}
              </div>
              <Frame class="hero-picture" name={shop.name} image={picture} format="panorama" eager />
            </div>
          </div>
          {sections.map(({ path, title, all, body }) => (
            <TitledSection
              key={path}
              id={path}
              title={view.say(title)}
              more={{ href: listPath(path), name: view.say(all) }}
            >
              {body(view)}
            </TitledSection>
          ))}
        </>
      ),
    }
  }
