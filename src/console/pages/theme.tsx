// A store in other clothes: each theme with the store's own front page in it, before it is switched.
import { Hono } from "hono"
import { Refusal } from "../../core/http/refusal"
import { readStore } from "../../platform/stores/service"
import type { Subscription } from "../../platform/subscriptions/schemas"
import { requiredApps, switchableTheme } from "../../platform/themes/rules"
import { previewShop } from "../../storefront/service"
import { defaultPreset, findTheme, themes } from "../../themes/catalog"
import { wordsOf } from "../forms"
import { Button } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card } from "../kit/parts"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/stores/:id/theme"

export const theme = new Hono<ConsoleEnv>()
  .get(PATH, async (c) => {
    const { store, subscription } = await readStore(c.var.ctx, c.req.param("id"))
    const published = themes.filter((one) => one.published)
    const shown =
      published.find(({ slug }) => slug === c.req.query("theme")) ?? published.find(({ slug }) => slug === store.theme)
    if (!shown) throw new Refusal("not_found")
    const base = `/console/stores/${store.id}`
    const refused = shown.slug === store.theme ? W.theme.worn : whyNot(shown.slug, subscription)
    c.set("frames", true)
    return page(c, {
      title: W.stores.theme,
      crumbs: [
        [W.stores.title, "/console/stores"],
        [store.name, base],
      ],
      children: (
        <>
          <nav class="row tabs" aria-label={W.theme.all}>
            {published.map(({ slug, name }) => (
              <a
                class="button"
                data-quiet
                href={`${base}/theme?theme=${slug}`}
                aria-current={slug === shown.slug ? "page" : undefined}
              >
                {name} {slug === store.theme && <Badge of="on" />}
              </a>
            ))}
          </nav>
          <Card title={shown.name}>
            <p>{shown.description}</p>
            {requiredApps(shown).length > 0 && <p class="sub">{W.theme.needs(requiredApps(shown).join(", "))}</p>}
            {refused ? (
              <p>{refused}</p>
            ) : (
              <Button action={`${base}/theme`} label={W.store.switch_theme} hidden={{ theme: shown.slug }} />
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
    const wanted = findTheme(c.req.query("theme") ?? "")
    if (!wanted?.published) throw new Refusal("not_found")
    const { ctx } = c.var
    const look = { theme: wanted.slug, preset: defaultPreset(wanted), apps: requiredApps(wanted) }
    return previewShop(ctx, `${c.req.param("id")}.${ctx.settings.CENTRAL_DOMAIN}`, look, "en")
  })

/** The store's front page in a theme, to be looked at and not touched. The page it stands on says that it frames. */
interface PreviewProps {
  store: string
  name: string
  theme: string
  small?: boolean
}

export const Preview = ({ store, name, theme: slug, small }: PreviewProps) => {
  const src = `/console/stores/${store}/theme/preview?theme=${encodeURIComponent(slug)}`
  return (
    <>
      <div class="preview" data-small={small || undefined}>
        <iframe src={src} title={W.theme.preview(name)} sandbox="" loading="lazy" />
      </div>
      <p>
        <a href={src}>{W.theme.whole}</a>
      </p>
    </>
  )
}

/** Why a store may not switch to a theme; null where it may. */
function whyNot(slug: string, subscription: Subscription | null): string | null {
  try {
    switchableTheme(slug, subscription)
    return null
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return wordsOf(thrown)
  }
}
