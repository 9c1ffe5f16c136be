// The appearance of a shop: its theme and the theme's colors, its logo, icon, accent color and menu, with the shop itself in
// a frame before anything is saved.
import * as z from "zod"
import { readMenuTargets, UpdateShopAppearance, updateShopAppearance } from "../../content/shop/appearance"
import { type Form as FormFields, groupByName } from "../../core/http/body"
import { parseInput } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { shortText } from "../../core/http/validation"
import type { ShopAppearance } from "../../db/schema/sites/shop-settings"
import { Disclosure } from "../../page-kit/disclosure"
import { parseFields } from "../../page-kit/fields"
import { Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card } from "../../page-kit/parts"
import { changeAppearance, hasPreset } from "../../platform/stores/appearance"
import { readStore } from "../../platform/stores/service"
import { getSwitchableTheme, listRequiredApps } from "../../platform/themes/rules"
import { previewShop } from "../../storefront/service"
import { getAccent, listMenuTargets } from "../../storefront/shop-appearance"
import { defaultPreset, findTheme, type Theme, themes } from "../../themes/catalog"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { nameApp } from "../apps"
import { getPlanLink, getRefusalMessage, handleForm, isAdminRefusal, toFormState, withNotice } from "../forms"
import { page } from "../page"
import { APPEARANCE } from "../paths"
import { getCtx, getSession } from "../session"
import { useT } from "../view"
import {
  AppearanceForm,
  changeRows,
  convertAppearance,
  hasAppearanceFields,
  mergeAppearance,
  toAppearanceForm,
  usesTargets,
} from "./appearance-form"
import { filePath, uploadPicture } from "./media"

const PREVIEW = `${APPEARANCE}/preview`

/** The pictures that can be uploaded here. */
const PICTURES = ["logo", "favicon"] as const

const ChangeAppearance = z.object({
  theme: shortText(63).min(1).optional(),
  preset: shortText(63).min(1).optional(),
  ...UpdateShopAppearance.shape,
})

interface Appearance {
  theme: Theme
  preset: string
}

export const appearance = createAdminPages()
  .get(APPEARANCE, (c) => renderAppearance(c))
  .get(PREVIEW, async (c) => {
    const { ctx } = c.var
    const chosen = pickAppearance(c)
    if (!chosen) throw new Refusal("not_found")
    const { theme, preset } = chosen
    const query = readQuery(c)
    const own = hasAppearanceFields(query) ? parseAppearance(c, query, await loadTargets(c)).appearance : null
    const options = { theme: theme.slug, preset, isPresetChosen: true, apps: listRequiredApps(theme) }
    return previewShop(ctx, ctx.site.hostname, { ...options, ...(own && { shopAppearance: own }) }, ctx.locale)
  })
  // The theme is in the central database and the rest in the site's. When two people save concurrently, each part is
  // that of the last commit, so the theme can be of one of them and the rest of the other.
  .post(APPEARANCE, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: ChangeAppearance,
      convert: async (fields) => {
        const { form } = c.var
        return convertAppearance(form, fields, usesTargets(form) ? await loadTargets(c) : [])
      },
      run: async ({ theme, preset, ...values }) => {
        if (theme !== undefined || preset !== undefined)
          await changeAppearance(c.var.ctx, c.var.ctx.site.id, { theme: theme ?? "", preset: preset ?? "" })
        await updateShopAppearance(getCtx(c), values)
        return withNotice(APPEARANCE, "look_changed")
      },
      render: (state) => renderAppearance(c, state),
    }),
  )
  .post(`${APPEARANCE}/:picture{logo|favicon}`, requireRole("admin"), (c) => {
    const ctx = getCtx(c)
    return handleForm(c, {
      schema: UpdateShopAppearance,
      run: async () => {
        const file = await uploadPicture(c)
        await updateShopAppearance(ctx, { [c.req.param("picture")]: filePath(c, file.path) })
        return withNotice(APPEARANCE, "look_changed")
      },
      render: (state) => renderAppearance(c, state),
    })
  })

/** The theme and preset that the query names; null for none, or an unknown one. */
function pickAppearance(c: AdminContext): Appearance | null {
  const theme = findTheme(c.req.query("theme") ?? "")
  if (!theme?.published) return null
  const preset = c.req.query("preset") ?? ""
  return { theme, preset: hasPreset({ theme: theme.slug, preset }) ? preset : defaultPreset(theme) }
}

const readQuery = (c: AdminContext): FormFields => groupByName(new URL(c.req.url).searchParams)

async function loadTargets(c: AdminContext) {
  const { ctx } = c.var
  const found = await readMenuTargets(getCtx(c))
  return listMenuTargets(ctx.site.store ?? { apps: [], theme: "" }, found, ctx.locale)
}

/**
 * Validates the fields of an appearance, for its preview.
 * @returns the stored appearance when they are invalid
 */
function parseAppearance(c: AdminContext, form: FormFields, targets: Awaited<ReturnType<typeof loadTargets>>) {
  const stored = getSession(c).shop.look
  try {
    const { fields, errors } = convertAppearance(form, parseFields(UpdateShopAppearance, form, undefined), targets)
    return { appearance: mergeAppearance(stored, parseInput(UpdateShopAppearance, fields, errors)), state: null }
  } catch (thrown) {
    const state = toFormState(c, thrown, form)
    if (!state) throw thrown
    return { appearance: stored, state }
  }
}

/** Formats a query that shows an appearance, with the values of the form that are not saved. */
const toQuery = ({ theme, preset }: Appearance, draft: FormFields | null): string => {
  const fields = [...(draft ?? [])].flatMap(([name, values]) => values.map((value) => [name, value]))
  return `?${new URLSearchParams([["theme", theme.slug], ["preset", preset], ...fields])}`
}

/** Returns the values that the form shows: those that were refused, those of the query, or those that are stored. */
function findForm(c: AdminContext, targets: Awaited<ReturnType<typeof loadTargets>>, refused?: FormState) {
  if (refused && hasAppearanceFields(refused.values))
    return { form: changeRows(refused.values, "", targets), isDraft: true }
  const query = readQuery(c)
  if (hasAppearanceFields(query)) return { form: changeRows(query, c.req.query("move") ?? "", targets), isDraft: true }
  return { form: toAppearanceForm(getSession(c).shop.look, targets), isDraft: false }
}

async function renderAppearance(c: AdminContext, refused?: FormState) {
  const { ctx, strings } = c.var
  const [{ store, subscription }, targets] = await Promise.all([readStore(ctx, ctx.site.id), loadTargets(c)])
  const published = themes.filter((theme) => theme.published)
  const theme = published.find(({ slug }) => slug === store.theme) ?? published[0]
  if (!theme) throw new Refusal("not_found")
  const shown = pickAppearance(c) ?? { theme, preset: store.preset }
  const isInUse = shown.theme.slug === store.theme && shown.preset === store.preset
  const needed = listRequiredApps(shown.theme).filter((slug) => !store.apps.includes(slug))
  const refusal = shown.theme.slug === store.theme ? null : findRefusal(c, shown.theme.slug, subscription)
  const { form, isDraft } = findForm(c, targets, refused)
  const { appearance: own, state: invalid } = parseAppearance(c, form, targets)
  const state = refused ?? (isDraft ? invalid : null)
  const draft = isDraft ? form : null
  c.set("hasFrames", true)
  return page(c, {
    title: strings.appearance.title,
    ...(state && { state: { ...state, values: hasAppearanceFields(state.values) ? form : state.values } }),
    children: (
      <>
        <Choices
          label={strings.appearance.themes}
          choices={published.map((one) => ({
            name: one.name,
            href: toQuery({ theme: one, preset: one.slug === store.theme ? store.preset : defaultPreset(one) }, draft),
            isShown: one.slug === shown.theme.slug,
            isInUse: one.slug === store.theme,
          }))}
        />
        <Choices
          label={strings.appearance.colors}
          choices={shown.theme.presets.map(({ slug, name }) => ({
            name,
            href: toQuery({ theme: shown.theme, preset: slug }, draft),
            isShown: slug === shown.preset,
            isInUse: slug === store.preset && shown.theme.slug === store.theme,
          }))}
        />
        {(needed.length > 0 || refusal) && (
          <Card title={shown.theme.name}>
            {needed.length > 0 && (
              <p class="sub">{strings.appearance.needs(needed.map((slug) => nameApp(slug, ctx.locale)).join(", "))}</p>
            )}
            {refusal && (
              <p>
                {refusal.message} {refusal.link && <a href={refusal.link.href}>{refusal.link.label}</a>}
              </p>
            )}
          </Card>
        )}
        <Preview src={PREVIEW + toQuery(shown, draft)} />
        <Uploads appearance={own} />
        <AppearanceForm
          form={form}
          targets={targets}
          theme={refusal ? null : { theme: shown.theme.slug, preset: shown.preset }}
          submitLabel={isInUse || refusal ? strings.common.save : strings.appearance.use}
          accent={getAccent(shown.theme.slug, shown.preset, own.accent)}
        />
      </>
    ),
  })
}

interface Choice {
  name: string
  href: string
  isShown: boolean
  isInUse: boolean
}

function Choices({ label, choices }: { label: string; choices: readonly Choice[] }) {
  const { appearance: t } = useT()
  return (
    <nav class="row choices" aria-label={label}>
      {choices.map(({ name, href, isShown, isInUse }) => (
        <a class="button" data-quiet href={APPEARANCE + href} aria-current={isShown ? "page" : undefined}>
          {name} {isInUse && <Badge status="on" text={t.current} />}
        </a>
      ))}
    </nav>
  )
}

/** The shop's front page in an appearance, in a sandboxed frame. */
function Preview({ src }: { src: string }) {
  const { appearance: t } = useT()
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

/** The logo and the icon, with forms that upload others. */
function Uploads({ appearance }: { appearance: ShopAppearance }) {
  const { appearance: t } = useT()
  return (
    <div class="row">
      {PICTURES.map((picture) => {
        const action = `${APPEARANCE}/${picture}`
        const src = appearance[picture]
        return (
          <div>
            {src && <img src={src} alt="" height="48" />}
            <Disclosure label={t.upload[picture]} action={action}>
              <Form action={action} submitLabel={t.upload[picture]} upload>
                <Field name="file" type="file" label={t.file} accept="image/*" required idPrefix={picture} />
              </Form>
            </Disclosure>
          </div>
        )
      })}
    </div>
  )
}

/** The reason why the shop cannot switch to a theme; null when it can. */
function findRefusal(
  c: AdminContext,
  slug: string,
  subscription: Parameters<typeof getSwitchableTheme>[1],
): { message: string; link: ReturnType<typeof getPlanLink> } | null {
  try {
    getSwitchableTheme(slug, subscription)
    return null
  } catch (thrown) {
    if (!isAdminRefusal(thrown)) throw thrown
    return { message: getRefusalMessage(c, thrown), link: getPlanLink(c, thrown) }
  }
}
