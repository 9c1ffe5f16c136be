// The look of a shop: its theme and the theme's colors, its logo, icon, accent color and menu, with the shop itself in
// a frame before anything is saved.
import * as z from "zod"
import { findApp } from "../../apps/registry"
import { readMenuTargets, UpdateLook, updateLook } from "../../content/shop/look"
import { type Form as FormFields, groupByName } from "../../core/http/body"
import { parseInput } from "../../core/http/input"
import { invalid, Refusal } from "../../core/http/refusal"
import { shortText } from "../../core/http/validation"
import type { ShopLook } from "../../db/schema/sites/shop-settings"
import { Disclosure } from "../../page-kit/disclosure"
import { parseFields } from "../../page-kit/fields"
import { Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card } from "../../page-kit/parts"
import { changeLook, hasPreset } from "../../platform/stores/look"
import { readStore } from "../../platform/stores/service"
import { getSwitchableTheme, listRequiredApps } from "../../platform/themes/rules"
import { getAccent, listMenuTargets } from "../../storefront/look"
import { previewShop } from "../../storefront/service"
import { defaultPreset, findTheme, type Theme, themes } from "../../themes/catalog"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { getPlanLink, getRefusalMessage, handleForm, isAdminRefusal, toFormState, withNotice } from "../forms"
import { page } from "../page"
import { LOOK } from "../paths"
import { getCtx, getSession } from "../session"
import { useT } from "../view"
import { changeRows, convertLook, formOfLook, hasLook, LookForm, mergeLook, usesTargets } from "./look-form"
import { filePath, uploadSubmitted } from "./media"

const PREVIEW = `${LOOK}/preview`

/** The pictures that can be uploaded here. */
const PICTURES = ["logo", "favicon"] as const

const ChangeLook = z.object({
  theme: shortText(63).min(1).optional(),
  preset: shortText(63).min(1).optional(),
  ...UpdateLook.shape,
})

interface Look {
  theme: Theme
  preset: string
}

export const look = createAdminPages()
  .get(LOOK, (c) => renderLook(c))
  .get(PREVIEW, async (c) => {
    const { ctx } = c.var
    const chosen = pickLook(c)
    if (!chosen) throw new Refusal("not_found")
    const { theme, preset } = chosen
    const query = readQuery(c)
    const own = hasLook(query) ? parseLook(c, query, await loadTargets(c)).look : null
    const options = { theme: theme.slug, preset, isPresetChosen: true, apps: listRequiredApps(theme) }
    return previewShop(ctx, ctx.site.hostname, { ...options, ...(own && { look: own }) }, ctx.locale)
  })
  // The theme is in the central database and the rest in the site's. When two people save at once, each part is that of
  // the last commit, so the theme can be of one of them and the rest of the other.
  .post(LOOK, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: ChangeLook,
      convert: async (fields) => {
        const { form } = c.var
        return convertLook(form, fields, usesTargets(form) ? await loadTargets(c) : [])
      },
      run: async ({ theme, preset, ...values }) => {
        if (theme !== undefined || preset !== undefined)
          await changeLook(c.var.ctx, c.var.ctx.site.id, { theme: theme ?? "", preset: preset ?? "" })
        await updateLook(getCtx(c), values)
        return withNotice(LOOK, "look_changed")
      },
      render: (state) => renderLook(c, state),
    }),
  )
  .post(`${LOOK}/:picture{logo|favicon}`, requireRole("admin"), (c) => {
    const ctx = getCtx(c)
    return handleForm(c, {
      schema: UpdateLook,
      run: async () => {
        const file = await uploadSubmitted(c)
        if (!file.mimeType.startsWith("image/")) throw invalid("file", "format")
        await updateLook(ctx, { [c.req.param("picture")]: filePath(c, file.path) })
        return withNotice(LOOK, "look_changed")
      },
      render: (state) => renderLook(c, state),
    })
  })

/** The look that the query names; null for none, or an unknown one. */
function pickLook(c: AdminContext): Look | null {
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
 * Validates the fields of a look, for its preview.
 * @returns the look that is stored when they are invalid
 */
function parseLook(c: AdminContext, form: FormFields, targets: Awaited<ReturnType<typeof loadTargets>>) {
  const stored = getSession(c).shop.look
  try {
    const { fields, errors } = convertLook(form, parseFields(UpdateLook, form, undefined), targets)
    return { look: mergeLook(stored, parseInput(UpdateLook, fields, errors)), state: null }
  } catch (thrown) {
    const state = toFormState(c, thrown, form)
    if (!state) throw thrown
    return { look: stored, state }
  }
}

/** Formats a query that shows a look, with the values of the form that are not saved. */
const toQuery = ({ theme, preset }: Look, draft: FormFields | null): string => {
  const fields = [...(draft ?? [])].flatMap(([name, values]) => values.map((value) => [name, value]))
  return `?${new URLSearchParams([["theme", theme.slug], ["preset", preset], ...fields])}`
}

/** Returns the values that the form shows: those that were refused, those of the query, or those that are stored. */
function findForm(c: AdminContext, targets: Awaited<ReturnType<typeof loadTargets>>, refused?: FormState) {
  if (refused && hasLook(refused.values)) return { form: changeRows(refused.values, "", targets), isDraft: true }
  const query = readQuery(c)
  if (hasLook(query)) return { form: changeRows(query, c.req.query("move") ?? "", targets), isDraft: true }
  return { form: formOfLook(getSession(c).shop.look, targets), isDraft: false }
}

async function renderLook(c: AdminContext, refused?: FormState) {
  const { ctx, strings } = c.var
  const [{ store, subscription }, targets] = await Promise.all([readStore(ctx, ctx.site.id), loadTargets(c)])
  const published = themes.filter((theme) => theme.published)
  const theme = published.find(({ slug }) => slug === store.theme) ?? published[0]
  if (!theme) throw new Refusal("not_found")
  const shown = pickLook(c) ?? { theme, preset: store.preset }
  const isInUse = shown.theme.slug === store.theme && shown.preset === store.preset
  const needed = listRequiredApps(shown.theme).filter((slug) => !store.apps.includes(slug))
  const refusal = shown.theme.slug === store.theme ? null : findRefusal(c, shown.theme.slug, subscription)
  const { form, isDraft } = findForm(c, targets, refused)
  const { look: own, state: invalid } = parseLook(c, form, targets)
  const state = refused ?? (isDraft ? invalid : null)
  const draft = isDraft ? form : null
  c.set("hasFrames", true)
  return page(c, {
    title: strings.look.title,
    ...(state && { state: { ...state, values: hasLook(state.values) ? form : state.values } }),
    children: (
      <>
        <Choices
          label={strings.look.themes}
          choices={published.map((one) => ({
            name: one.name,
            href: toQuery({ theme: one, preset: one.slug === store.theme ? store.preset : defaultPreset(one) }, draft),
            isShown: one.slug === shown.theme.slug,
            isInUse: one.slug === store.theme,
          }))}
        />
        <Choices
          label={strings.look.colors}
          choices={shown.theme.presets.map(({ slug, name }) => ({
            name,
            href: toQuery({ theme: shown.theme, preset: slug }, draft),
            isShown: slug === shown.preset,
            isInUse: slug === store.preset && shown.theme.slug === store.theme,
          }))}
        />
        {(needed.length > 0 || refusal) && (
          <Card title={shown.theme.name}>
            {needed.length > 0 && <p class="sub">{strings.look.needs(needed.map(nameOfApp).join(", "))}</p>}
            {refusal && (
              <p>
                {refusal.message} {refusal.link && <a href={refusal.link.href}>{refusal.link.label}</a>}
              </p>
            )}
          </Card>
        )}
        <Preview src={PREVIEW + toQuery(shown, draft)} />
        <Uploads look={own} />
        <LookForm
          form={form}
          targets={targets}
          theme={refusal ? null : { theme: shown.theme.slug, preset: shown.preset }}
          submitLabel={isInUse || refusal ? strings.common.save : strings.look.use}
          accent={getAccent(shown.theme.slug, shown.preset, own.accent)}
        />
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
function Preview({ src }: { src: string }) {
  const { look: t } = useT()
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
function Uploads({ look: own }: { look: ShopLook }) {
  const { look: t } = useT()
  return (
    <div class="row">
      {PICTURES.map((picture) => {
        const action = `${LOOK}/${picture}`
        const src = own[picture]
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
