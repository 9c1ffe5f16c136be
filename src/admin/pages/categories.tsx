// The categories of a shop's posts: list, new, edit and delete. A category may be inside another.
import type { Context } from "hono"
import { resourceTag } from "../../content/blog/caching"
import { createCategory, deleteCategory, updateCategory } from "../../content/blog/categories/save"
import {
  type CategoryWithChildren,
  categoryResource,
  SaveCategory,
  UpdateCategory,
} from "../../content/blog/categories/schemas"
import { listCategories, readCategory } from "../../content/blog/categories/service"
import { Field, Form, Select, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Card } from "../../page-kit/parts"
import { ShownVersion } from "../../page-kit/version-guard"
import { createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { CATEGORIES } from "../paths"
import { getEditorCtx, getReaderCtx } from "../session"
import type { AdminEnv } from "../types"
import { useT } from "../view"
import { itemPath, renderContentList } from "./content-list"
import { DeleteLink, MAX_CHOICES, MAX_SLUG_LENGTH, MAX_TITLE_LENGTH, renderDelete, SlugField } from "./content-parts"

type C = Context<AdminEnv>

type Category = CategoryWithChildren["category"]

const load = (c: C): Promise<CategoryWithChildren> => readCategory(getReaderCtx(c), c.req.param("id") ?? "")

export const categories = createAdminPages()
  .get(CATEGORIES, (c) => renderContentList(c, "categories"))
  .get(`${CATEGORIES}/new`, requireRole("editor"), (c) => renderNew(c))
  .get(`${CATEGORIES}/:id`, (c) => c.redirect(itemPath("categories", c.req.param("id")), 303))
  .get(`${CATEGORIES}/:id/edit`, (c) => renderEdit(c))
  .get(`${CATEGORIES}/:id/delete`, requireRole("editor"), async (c) =>
    renderDelete(c, "categories", (await load(c)).category),
  )
  .post(CATEGORIES, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: SaveCategory,
      run: async (input) => {
        const { category } = await createCategory(getEditorCtx(c), input)
        return withNotice(itemPath("categories", category.id), "content_created")
      },
      render: (state) => renderNew(c, state),
    }),
  )
  .post(`${CATEGORIES}/:id/edit`, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: UpdateCategory,
      isEdit: true,
      run: async (input, assertUnchanged) => {
        const { category } = await updateCategory(getEditorCtx(c), c.req.param("id"), input, assertUnchanged)
        return withNotice(itemPath("categories", category.id), "content_saved")
      },
      render: (state) => renderEdit(c, state),
    }),
  )
  .post(`${CATEGORIES}/:id/delete`, requireRole("editor"), async (c) => {
    await deleteCategory(getEditorCtx(c), c.req.param("id"))
    return c.redirect(withNotice(CATEGORIES, "content_deleted"), 303)
  })

/** The categories that can be chosen as the parent, in the order of their titles. */
async function loadParents(c: C) {
  const query = { page: 1, per_page: MAX_CHOICES, sort_by: "name", order: "asc" } as const
  const { rows, total } = await listCategories(getReaderCtx(c), query)
  return { rows: rows.map(({ category }) => category), total }
}

async function renderNew(c: C, state: FormState = emptyForm()) {
  const { content: t, common } = c.var.strings
  const parents = await loadParents(c)
  return page(c, {
    title: t.new.categories,
    crumbs: [[t.nav.categories, CATEGORIES]],
    state,
    children: (
      <Form action={CATEGORIES} submitLabel={common.create}>
        <CategoryFields parents={parents} />
      </Form>
    ),
  })
}

async function renderEdit(c: C, state?: FormState) {
  const { content: t, common } = c.var.strings
  const [found, parents] = await Promise.all([load(c), loadParents(c)])
  const { category } = found
  const etag = await resourceTag(categoryResource(found))
  return page(c, {
    title: category.name,
    crumbs: [[t.nav.categories, CATEGORIES]],
    state,
    actions: <DeleteLink href={itemPath("categories", category.id, "delete")} />,
    children: (
      <Form
        action={itemPath("categories", category.id)}
        submitLabel={common.save}
        readOnly={<Card>{category.description ?? category.slug}</Card>}
      >
        <ShownVersion version={etag} />
        <CategoryFields category={category} parents={parents} />
      </Form>
    ),
  })
}

interface CategoryFieldsProps {
  category?: Category
  parents: { rows: Category[]; total: number }
}

function CategoryFields({ category, parents }: CategoryFieldsProps) {
  const { content: t } = useT()
  const parent = category?.parentId ? String(category.parentId) : ""
  const others = parents.rows.filter(({ id }) => id !== category?.id)
  return (
    <>
      <Field name="name" label={t.title} required maxlength={MAX_TITLE_LENGTH} value={category?.name} />
      {parents.total > MAX_CHOICES ? (
        <Field name="parent" label={t.parent} maxlength={MAX_SLUG_LENGTH} value={parent} hint={t.parent_hint} />
      ) : (
        <Select
          name="parent"
          label={t.parent}
          value={parent}
          empty={t.no_parent}
          choices={others.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      <TextArea name="description" rows={3} maxlength={400} value={category?.description} />
      <SlugField list={CATEGORIES} value={category?.slug} />
    </>
  )
}
