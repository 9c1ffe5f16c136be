// Shared parts of the pages of posts, pages, categories, tags and galleries.
import type { Context } from "hono"
import type { ContentKind } from "../../content/blog/operator-list"
import { slugify } from "../../lib/slug"
import { ActionButton, CheckboxGroup, Field, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { JOURNAL, PAGES, singlePath } from "../../storefront/paths"
import { page } from "../page"
import type { AdminStrings } from "../strings/types"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"
import { contentPath, isPublic, itemPath, type Publication } from "./content-list"

export const MAX_TITLE_LENGTH = 250
export const MAX_SLUG_LENGTH = 120

/** A link to the page that asks before something is deleted. */
export function DeleteLink({ href }: { href: string }) {
  const { canPost, t } = useAdminView()
  return canPost(href) ? (
    <a class="button" data-danger href={href}>
      {t.common.delete}
    </a>
  ) : null
}

/** First path segments in the shop. */
const SHOP_PATHS = { posts: JOURNAL, pages: PAGES } as const

interface ItemActionsProps {
  kind: keyof typeof SHOP_PATHS
  item: Publication & { id: number; slug: string }
}

/** Links from the page of a post or a page to the shop, its preview, its revisions and its deletion. */
export function ItemActions({ kind, item }: ItemActionsProps) {
  const { t: strings, now } = useAdminView()
  const { content: t, products } = strings
  const { id, slug } = item
  return (
    <>
      {isPublic(item, now) && (
        <a class="button" data-quiet href={singlePath(SHOP_PATHS[kind], slug)}>
          {products.view}
        </a>
      )}
      <a class="button" data-quiet href={itemPath(kind, id, "preview")} target="_blank" rel="noopener">
        {t.preview}
      </a>
      <a class="button" data-quiet href={itemPath(kind, id, "revisions")}>
        {t.revisions}
      </a>
      <DeleteLink href={itemPath(kind, id, "delete")} />
    </>
  )
}

interface List {
  title: string
  path: string
  /** The effects of deleting an item of the list. */
  deletion: string
}

/** The list of a kind of content. */
const getList = ({ content: t }: AdminStrings, kind: ContentKind): List => ({
  title: t.nav[kind],
  path: contentPath(kind),
  deletion: t.delete_body[kind],
})

/**
 * Asks before an item is deleted.
 * @param list the item's list, or its kind of content
 */
export function renderDelete(
  c: Context<AdminEnv>,
  list: ContentKind | List,
  { id, name }: { id: number; name: string },
) {
  const { content: t, common } = c.var.strings
  const { title, path, deletion } = typeof list === "string" ? getList(c.var.strings, list) : list
  const item = `${path}/${id}/edit`
  return page(c, {
    title: t.delete_title(name),
    crumbs: [
      [title, path],
      [name, item],
    ],
    children: (
      <>
        <p>{deletion}</p>
        <ActionButton action={`${path}/${id}/delete`} label={common.delete} danger />
        <p>
          <a href={item}>{common.cancel}</a>
        </p>
      </>
    ),
  })
}

/** The slug that a submitted form asks for. */
const getSlug = (values: FormState["values"]): string =>
  values.get("slug")?.at(-1)?.trim() || slugify(values.get("name")?.at(-1) ?? "", MAX_SLUG_LENGTH)

/**
 * The field of a slug. When it is taken, it links to the item that has it.
 * @param list the path of the list
 */
export function SlugField({ list, value }: { list: string; value?: string | undefined }) {
  const { content: t } = useT()
  return (
    <Field
      name="slug"
      maxlength={MAX_SLUG_LENGTH}
      value={value}
      required={value !== undefined}
      hint={value === undefined ? t.slug_hint : t.slug_change_hint}
      existing={(values) => `${list}/${encodeURIComponent(getSlug(values))}/edit`}
    />
  )
}

const STATUSES = ["published", "draft", "pending"] as const

export function StatusField({ value }: { value: (typeof STATUSES)[number] }) {
  const { content: t } = useT()
  return (
    <Select
      name="status"
      value={value}
      choices={STATUSES.map((status) => ({ value: status, label: t.statuses[status] }))}
    />
  )
}

/** Items that are offered as checkboxes; of more, the slugs are typed. */
export const MAX_CHOICES = 100

interface Reference {
  id: number
  slug: string
  name: string
}

interface ReferenceFieldProps {
  name: "categories" | "tags"
  label: string
  /** The first items that can be chosen. */
  offered: { rows: readonly Reference[]; total: number }
  chosen: readonly Reference[]
}

/** Chooses categories or tags. */
export function ReferenceField({ name, label, offered, chosen }: ReferenceFieldProps) {
  const { content: t } = useT()
  if (offered.total > MAX_CHOICES)
    return (
      <Field name={name} label={label} value={chosen.map(({ slug }) => slug).join(", ")} hint={t.references_hint} />
    )
  if (!offered.rows.length) return null
  return (
    <>
      {/* Browsers send nothing when no box is checked. */}
      <input type="hidden" name={name} value="" />
      <CheckboxGroup
        name={name}
        label={label}
        choices={offered.rows.map((one) => ({ value: String(one.id), label: one.name }))}
        chosen={chosen.map(({ id }) => String(id))}
      />
    </>
  )
}
