// Previews a store's front page in each theme before the theme is switched.
import { Refusal } from "../../core/http/refusal"
import type { Subscription } from "../../db/schema/central/subscriptions"
import { getFallbackHost } from "../../env"
import { ActionButton } from "../../page-kit/form"
import { Badge, Card } from "../../page-kit/parts"
import { readStore } from "../../platform/stores/service"
import { getSwitchableTheme, listRequiredApps } from "../../platform/themes/rules"
import { previewShop } from "../../storefront/service"
import { defaultPreset, findTheme, themes } from "../../themes/catalog"
import { getRefusalMessage, isConsoleRefusal } from "../forms"
import { page } from "../kit/page"
import { createPages } from "../router"
import { W } from "../strings"

const PATH = "/console/stores/:id/theme"

export const theme = createPages()
  .get(PATH, async (c) => {
    const { store, subscription } = await readStore(c.var.ctx, c.req.param("id"))
    const published = themes.filter((one) => one.published)
    const shown =
      published.find(({ slug }) => slug === c.req.query("theme")) ?? published.find(({ slug }) => slug === store.theme)
    if (!shown) throw new Refusal("not_found")
    const base = `/console/stores/${store.id}`
    const refusal = shown.slug === store.theme ? W.theme.current : getThemeRefusal(shown.slug, subscription)
    c.set("hasFrames", true)
    return page(c, {
      title: W.stores.theme,
      crumbs: [
        [W.stores.title, "/console/stores"],
        [store.name, base],
      ],
      children: (
        <>
          <nav class="row choices" aria-label={W.theme.all}>
            {published.map(({ slug, name }) => (
              <a
                class="button"
                data-quiet
                href={`${base}/theme?theme=${slug}`}
                aria-current={slug === shown.slug ? "page" : undefined}
              >
                {name} {slug === store.theme && <Badge status="on" text={W.theme.current} />}
              </a>
            ))}
          </nav>
          <Card title={shown.name}>
            <p>{shown.description}</p>
            {listRequiredApps(shown).length > 0 && (
              <p class="sub">{W.theme.needs(listRequiredApps(shown).join(", "))}</p>
            )}
            {refusal ? (
              <p>{refusal}</p>
            ) : (
              <ActionButton action={`${base}/theme`} label={W.store.switch_theme} hidden={{ theme: shown.slug }} />
            )}
          </Card>
          {store.database ? (
            <Preview store={store.id} name={store.name} theme={shown.slug} />
          ) : (
            <p>{W.theme.no_preview}</p>
          )}
        </>
      ),
    })
  })
  .get(`${PATH}/preview`, (c) => {
    const previewed = findTheme(c.req.query("theme") ?? "")
    if (!previewed?.published) throw new Refusal("not_found")
    const { ctx } = c.var
    const appearance = { theme: previewed.slug, preset: defaultPreset(previewed), apps: listRequiredApps(previewed) }
    return previewShop(ctx, getFallbackHost(ctx.settings, c.req.param("id")), appearance, "en")
  })

interface PreviewProps {
  store: string
  name: string
  theme: string
  small?: boolean
}

/** The store's front page in a theme, in a sandboxed frame. The page that contains it sets `hasFrames`. */
export const Preview = ({ store, name, theme: slug, small }: PreviewProps) => {
  const src = `/console/stores/${store}/theme/preview?theme=${encodeURIComponent(slug)}`
  return (
    <>
      <div class="preview" data-small={small || undefined}>
        <iframe src={src} title={W.theme.preview(name)} sandbox="" loading="lazy" />
      </div>
      <p>
        <a href={src}>{W.theme.open_preview}</a>
      </p>
    </>
  )
}

/** The reason why the store cannot switch to a theme; null when it can. */
function getThemeRefusal(slug: string, subscription: Subscription | null): string | null {
  try {
    getSwitchableTheme(slug, subscription)
    return null
  } catch (thrown) {
    if (!isConsoleRefusal(thrown)) throw thrown
    return getRefusalMessage(thrown)
  }
}
