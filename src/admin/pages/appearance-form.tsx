// The form of a shop's appearance: logo, icon, accent color and the entries of the menu. Its fields are also the query of the
// page, which previews them before they are saved, and moves entries without a script.
import type * as z from "zod"
import { MAX_MENU_ITEMS, MenuItem, type UpdateShopAppearance } from "../../content/shop/appearance"
import type { Form as FormFields } from "../../core/http/body"
import type { FieldErrors } from "../../core/http/refusal"
import { fieldErrors } from "../../core/http/validation"
import type { ShopAppearance } from "../../db/schema/sites/shop-settings"
import { Checkbox, Field, Form, Select } from "../../page-kit/form"
import { Card } from "../../page-kit/parts"
import type { MenuTarget } from "../../storefront/shop-appearance"
import { APPEARANCE } from "../paths"
import { useT } from "../view"
import { PictureField } from "./editor"

/** The target of an entry whose URL is typed. */
const OWN_LINK = "link"

interface Row {
  target: string
  url: string
  name: string
}

const EMPTY_ROW: Row = { target: "", url: "", name: "" }

const rowFields = (at: number) => ({ target: `menu.${at}.target`, url: `menu.${at}.url`, name: `menu.${at}.name` })

const lastOf = (form: FormFields, name: string): string | undefined => form.get(name)?.at(-1)

/** Reads the entries of the form, which numbers them from zero. */
const readRows = (form: FormFields): Row[] =>
  Array.from({ length: MAX_MENU_ITEMS + 1 }, (_, at) => {
    const names = rowFields(at)
    const [target = "", url = "", name = ""] = [names.target, names.url, names.name].map((field) => lastOf(form, field))
    return { target, url: url.trim(), name: name.trim() }
  })

const isBlank = ({ target, url, name }: Row) => target === "" && url === "" && name === ""

/** The entries without the blank ones, in whose order errors are numbered. */
const readEntries = (form: FormFields): Row[] => readRows(form).filter((row) => !isBlank(row))

/** Whether the menu of a form or query leads to one of the offered targets, so that `convertAppearance` needs them. */
export const usesTargets = (form: FormFields): boolean =>
  readEntries(form).some(({ target }) => target !== "" && target !== OWN_LINK)

/** Whether a form or query has the fields of an appearance. */
export const hasAppearanceFields = (form: FormFields): boolean => form.has("logo") || form.has("menu")

const toForm = (fields: Record<string, string>, rows: readonly Row[]): FormFields =>
  new Map(
    Object.entries({
      ...fields,
      menu: "",
      ...Object.fromEntries(
        rows.flatMap((row, at) => {
          const names = rowFields(at)
          return [
            [names.target, row.target],
            [names.url, row.url],
            [names.name, row.name],
          ]
        }),
      ),
    }).map(([name, value]) => [name, [value]]),
  )

const toRow =
  (targets: readonly MenuTarget[]) =>
  ({ name, url }: ShopAppearance["menu"][number]): Row => {
    const isOffered = targets.some((target) => target.url === url)
    return { target: isOffered ? url : OWN_LINK, url: isOffered ? "" : url, name: name ?? "" }
  }

/** The fields of the stored appearance. */
export const toAppearanceForm = (appearance: ShopAppearance, targets: readonly MenuTarget[]): FormFields =>
  toForm(
    {
      logo: appearance.logo ?? "",
      favicon: appearance.favicon ?? "",
      has_accent: String(appearance.accent !== null),
      ...(appearance.accent && { accent: appearance.accent }),
    },
    appearance.menu.map(toRow(targets)),
  )

/**
 * Moves or removes an entry of the form, or adds those of the default menu.
 * @param change `2.up`, `2.down`, `2.remove` or `fill`
 */
export function changeRows(form: FormFields, change: string, targets: readonly MenuTarget[]): FormFields {
  const rows = readEntries(form)
  const [, index, action] = /^(\d{1,2})\.(up|down|remove)$/.exec(change) ?? []
  const at = Number(index)
  const row = rows[at]
  if (row && action) {
    rows.splice(at, 1)
    if (action !== "remove") rows.splice(action === "up" ? Math.max(0, at - 1) : at + 1, 0, row)
  }
  if (change === "fill") rows.push(...targets.filter(({ isTranslated }) => isTranslated).map(toEntry))
  const fields = ["logo", "favicon", "has_accent", "accent"].flatMap((name) => {
    const value = lastOf(form, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return toForm(Object.fromEntries(fields), rows.slice(0, MAX_MENU_ITEMS))
}

const toEntry = ({ url }: MenuTarget): Row => ({ ...EMPTY_ROW, target: url })

/** Converts the fields of the form to those of the input. */
export function convertAppearance(form: FormFields, fields: Record<string, unknown>, targets: readonly MenuTarget[]) {
  const errors: FieldErrors = {}
  const menu: z.output<typeof MenuItem>[] = []
  for (const [at, row] of readEntries(form).entries()) {
    const target = targets.find(({ url }) => url === row.target)
    if (!row.target && !row.url) {
      errors[`menu.${at}.target`] = [{ rule: "required" }]
      continue
    }
    const own = { url: row.url, name: row.name }
    const item = target ? { url: target.url, name: row.name || (target.isTranslated ? "" : (target.label ?? "")) } : own
    const result = MenuItem.safeParse({ ...item, name: item.name.slice(0, target && !row.name ? 40 : undefined) })
    if (result.success) menu.push(result.data)
    else
      for (const [name, found] of Object.entries(fieldErrors(result.error, item))) errors[`menu.${at}.${name}`] = found
    if (!target && !row.name) errors[`menu.${at}.name`] = [{ rule: "required" }]
  }
  const { menu: _, ...rest } = fields
  return {
    fields: {
      ...rest,
      ...(lastOf(form, "has_accent") === "false" && { accent: null }),
      ...(form.has("menu") && { menu }),
    },
    errors,
  }
}

/** Applies the values of a valid form to the stored appearance. */
export const mergeAppearance = (
  stored: ShopAppearance,
  { logo, favicon, accent, menu }: z.output<typeof UpdateShopAppearance>,
): ShopAppearance => ({
  logo: logo === undefined ? stored.logo : logo,
  favicon: favicon === undefined ? stored.favicon : favicon,
  accent: accent === undefined ? stored.accent : accent,
  menu: menu ?? stored.menu,
})

interface AppearanceFormProps {
  form: FormFields
  targets: readonly MenuTarget[]
  /** The theme and preset that are saved with the form; null to leave them. */
  theme: { theme: string; preset: string } | null
  submitLabel: string
  /** The accent color that pages get from the values of the form. */
  accent: string
}

/** The form, with a button that previews its values. */
export function AppearanceForm({ form, targets, theme, submitLabel, accent }: AppearanceFormProps) {
  const { appearance: t } = useT()
  const rows = readEntries(form)
  const shown = rows.length < MAX_MENU_ITEMS ? [...rows, EMPTY_ROW] : rows
  const chosen = lastOf(form, "accent")
  const isAdjusted = lastOf(form, "has_accent") !== "false" && chosen !== undefined && chosen !== accent
  return (
    <Form action={APPEARANCE} submitLabel={submitLabel}>
      {theme && Object.entries(theme).map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      <Card title={t.identity}>
        <PictureField name="logo" label={t.logo} value={lastOf(form, "logo")} hint={t.logo_hint} />
        <PictureField name="favicon" label={t.favicon} value={lastOf(form, "favicon")} hint={t.favicon_hint} />
        <Checkbox name="has_accent" label={t.has_accent} isChecked={lastOf(form, "has_accent") === "true"} />
        <Field
          name="accent"
          label={t.accent}
          type="color"
          value={chosen ?? accent}
          hint={isAdjusted ? t.adjusted(accent) : t.accent_hint}
        />
        <PreviewButton />
      </Card>
      <Card title={t.menu}>
        <p class="sub">{t.menu_hint}</p>
        <input type="hidden" name="menu" value="" />
        {rows.length === 0 && (
          <p>
            <MoveButton change="fill" label={t.fill} />
          </p>
        )}
        {shown.map((row, at) => (
          <MenuRow at={at} row={row} targets={targets} isLast={at === rows.length - 1} isNew={at === rows.length} />
        ))}
        <PreviewButton />
      </Card>
    </Form>
  )
}

function PreviewButton() {
  const { appearance: t } = useT()
  return (
    <p>
      <button type="submit" formmethod="get" formaction={APPEARANCE} formnovalidate data-quiet>
        {t.show}
      </button>
    </p>
  )
}

const MoveButton = ({ change, label, sign }: { change: string; label: string; sign?: string }) => (
  <button
    type="submit"
    formmethod="get"
    formaction={`${APPEARANCE}#menu`}
    formnovalidate
    name="move"
    value={change}
    aria-label={sign && label}
    title={sign && label}
    data-quiet
  >
    {sign ?? label}
  </button>
)

interface MenuRowProps {
  at: number
  row: Row
  targets: readonly MenuTarget[]
  isLast: boolean
  /** Whether the row adds an entry. */
  isNew: boolean
}

function MenuRow({ at, row, targets, isLast, isNew }: MenuRowProps) {
  const { appearance: t } = useT()
  const names = rowFields(at)
  const target = targets.find(({ url }) => url === row.target)
  const title = isNew ? t.new_item : row.name || (target ? (target.label ?? t.home) : row.url)
  return (
    <fieldset class="menu-item" id={at === 0 ? "menu" : undefined}>
      <legend>{title}</legend>
      <Select
        name={names.target}
        label={t.target}
        value={row.target}
        empty="—"
        choices={[
          ...targets.map((target) => ({ value: target.url, label: target.label ?? t.home })),
          { value: OWN_LINK, label: t.own_link },
        ]}
      />
      <Field name={names.url} label={t.url} maxlength={300} value={row.url} hint={t.url_hint} />
      <Field name={names.name} label={t.name} maxlength={40} value={row.name} hint={t.name_hint} />
      {!isNew && (
        <p class="row">
          {at > 0 && <MoveButton change={`${at}.up`} label={t.up(title)} sign="↑" />}
          {!isLast && <MoveButton change={`${at}.down`} label={t.down(title)} sign="↓" />}
          <MoveButton change={`${at}.remove`} label={t.remove(title)} sign="✕" />
        </p>
      )}
    </fieldset>
  )
}
