// The look of a shop: its theme and the theme's colors, with the shop itself in a frame before anything is saved.
import * as z from "zod"
import { findApp } from "../../apps/registry"
import { Refusal } from "../../core/http/refusal"
import { shortText } from "../../core/http/validation"
import { ActionButton } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card } from "../../page-kit/parts"
import { changeLook, hasPreset } from "../../platform/stores/look"
import { readStore } from "../../platform/stores/service"
import { getSwitchableTheme, listRequiredApps } from "../../platform/themes/rules"
import { previewShop } from "../../storefront/service"
import { defaultPreset, findTheme, type Theme, themes } from "../../themes/catalog"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { getRefusalMessage, handleForm, isAdminRefusal, withNotice } from "../forms"
import { page } from "../page"
import { LOOK } from "../paths"
import { useT } from "../view"

const PREVIEW = `${LOOK}/preview`

const ChangeLook = z.object({ theme: shortText(63).min(1), preset: shortText(63).min(1) })

interface Look {
  theme: Theme
  preset: string
}

const queryOf = ({ theme, preset }: Look) => `?${new URLSearchParams({ theme: theme.slug, preset })}`

export const look = createAdminPages()
  .get(LOOK, (c) => renderLook(c))
  .get(PREVIEW, (c) => {
    const { ctx } = c.var
    const chosen = pickLook(c)
    if (!chosen) throw new Refusal("not_found")
    const { theme, preset } = chosen
    const options = { theme: theme.slug, preset, isPresetChosen: true, apps: listRequiredApps(theme) }
    return previewShop(ctx, ctx.site.hostname, options, ctx.locale)
  })
  .post(LOOK, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: ChangeLook,
      run: async (input) => {
        await changeLook(c.var.ctx, c.var.ctx.site.id, input)
        return withNotice(LOOK, "look_changed")
      },
      render: (state) => renderLook(c, state),
    }),
  )

/** The look that the query names; null for none, or an unknown one. */
function pickLook(c: AdminContext): Look | null {
  const theme = findTheme(c.req.query("theme") ?? "")
  if (!theme?.published) return null
  const preset = c.req.query("preset") ?? ""
  return { theme, preset: hasPreset({ theme: theme.slug, preset }) ? preset : defaultPreset(theme) }
}

async function renderLook(c: AdminContext, state?: FormState) {
  const { ctx, strings } = c.var
  const { store, subscription } = await readStore(ctx, ctx.site.id)
  const published = themes.filter((theme) => theme.published)
  const theme = published.find(({ slug }) => slug === store.theme) ?? published[0]
  if (!theme) throw new Refusal("not_found")
  const own: Look = { theme, preset: store.preset }
  const shown = pickLook(c) ?? own
  const isInUse = shown.theme.slug === store.theme && shown.preset === store.preset
  const needed = listRequiredApps(shown.theme).filter((slug) => !store.apps.includes(slug))
  const refusal = shown.theme.slug === store.theme ? null : findRefusal(c, shown.theme.slug, subscription)
  c.set("hasFrames", true)
  return page(c, {
    title: strings.look.title,
    state,
    children: (
      <>
        <Choices
          label={strings.look.themes}
          choices={published.map((one) => ({
            name: one.name,
            href: queryOf({ theme: one, preset: one.slug === store.theme ? store.preset : defaultPreset(one) }),
            isShown: one.slug === shown.theme.slug,
            isInUse: one.slug === store.theme,
          }))}
        />
        <Choices
          label={strings.look.colors}
          choices={shown.theme.presets.map(({ slug, name }) => ({
            name,
            href: queryOf({ theme: shown.theme, preset: slug }),
            isShown: slug === shown.preset,
            isInUse: slug === store.preset && shown.theme.slug === store.theme,
          }))}
        />
        <Card title={shown.theme.name}>
          {needed.length > 0 && <p class="sub">{strings.look.needs(needed.map(nameOfApp).join(", "))}</p>}
          {refusal && <p>{refusal}</p>}
          {!refusal && !isInUse && (
            <ActionButton
              action={LOOK}
              label={strings.look.use}
              hidden={{ theme: shown.theme.slug, preset: shown.preset }}
              isPrimary
            />
          )}
          {isInUse && <Badge status="on" text={strings.look.current} />}
        </Card>
        <Preview look={shown} />
      </>
    ),
  })
}

const nameOfApp = (slug: string): string => findApp(slug)?.name ?? slug

interface Choice {
  name: string
  href: string
  isShown: boolean
  isInUse: boolean
}

function Choices({ label, choices }: { label: string; choices: readonly Choice[] }) {
  const { look: t } = useT()
  return (
    <nav class="row choices" aria-label={label}>
      {choices.map(({ name, href, isShown, isInUse }) => (
        <a class="button" data-quiet href={LOOK + href} aria-current={isShown ? "page" : undefined}>
          {name} {isInUse && <Badge status="on" text={t.current} />}
        </a>
      ))}
    </nav>
  )
}

/** The shop's front page in a look, in a sandboxed frame. */
function Preview({ look: shown }: { look: Look }) {
  const { look: t } = useT()
  const src = PREVIEW + queryOf(shown)
  return (
    <>
      <div class="preview">
        <iframe src={src} title={t.preview} sandbox="" loading="lazy" />
      </div>
      <p>
        <a href={src}>{t.open_preview}</a>
      </p>
    </>
  )
}

/** The reason why the shop cannot switch to a theme; null when it can. */
function findRefusal(
  c: AdminContext,
  slug: string,
  subscription: Parameters<typeof getSwitchableTheme>[1],
): string | null {
  try {
    getSwitchableTheme(slug, subscription)
    return null
  } catch (thrown) {
    if (!isAdminRefusal(thrown)) throw thrown
    return getRefusalMessage(c, thrown)
  }
}
