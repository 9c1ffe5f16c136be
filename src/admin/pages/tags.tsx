// The tags of a shop's posts: list, new, edit and delete.
import type { Context } from "hono"
import { resourceTag } from "../../content/blog/caching"
import { createTag, deleteTag, updateTag } from "../../content/blog/tags/save"
import { SaveTag, type TagRow, tagResource, UpdateTag } from "../../content/blog/tags/schemas"
import { readTag } from "../../content/blog/tags/service"
import { Field, Form, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Card } from "../../page-kit/parts"
import { ShownVersion } from "../../page-kit/version-guard"
import { createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { TAGS } from "../paths"
import { getEditorCtx, getReaderCtx } from "../session"
import type { AdminEnv } from "../types"
import { useT } from "../view"
import { itemPath, renderContentList } from "./content-list"
import { DeleteLink, MAX_TITLE_LENGTH, renderDelete, SlugField } from "./content-parts"

type C = Context<AdminEnv>

const load = (c: C): Promise<TagRow> => readTag(getReaderCtx(c), c.req.param("id") ?? "")

export const tags = createAdminPages()
  .get(TAGS, (c) => renderContentList(c, "tags"))
  .get(`${TAGS}/new`, requireRole("editor"), (c) => renderNew(c))
  .get(`${TAGS}/:id`, (c) => c.redirect(itemPath("tags", c.req.param("id")), 303))
  .get(`${TAGS}/:id/edit`, (c) => renderEdit(c))
  .get(`${TAGS}/:id/delete`, requireRole("editor"), async (c) => renderDelete(c, "tags", await load(c)))
  .post(TAGS, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: SaveTag,
      run: async (input) => {
        const { id } = await createTag(getEditorCtx(c), input)
        return withNotice(itemPath("tags", id), "content_created")
      },
      render: (state) => renderNew(c, state),
    }),
  )
  .post(`${TAGS}/:id/edit`, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: UpdateTag,
      isEdit: true,
      run: async (input, assertUnchanged) => {
        const { id } = await updateTag(getEditorCtx(c), c.req.param("id"), input, assertUnchanged)
        return withNotice(itemPath("tags", id), "content_saved")
      },
      render: (state) => renderEdit(c, state),
    }),
  )
  .post(`${TAGS}/:id/delete`, requireRole("editor"), async (c) => {
    await deleteTag(getEditorCtx(c), c.req.param("id"))
    return c.redirect(withNotice(TAGS, "content_deleted"), 303)
  })

const renderNew = (c: C, state: FormState = emptyForm()) =>
  page(c, {
    title: c.var.strings.content.new.tags,
    crumbs: [[c.var.strings.content.nav.tags, TAGS]],
    state,
    children: (
      <Form action={TAGS} submitLabel={c.var.strings.common.create}>
        <TagFields />
      </Form>
    ),
  })

async function renderEdit(c: C, state?: FormState) {
  const { content: t, common } = c.var.strings
  const tag = await load(c)
  const etag = await resourceTag(tagResource(tag))
  return page(c, {
    title: tag.name,
    crumbs: [[t.nav.tags, TAGS]],
    state,
    actions: <DeleteLink href={itemPath("tags", tag.id, "delete")} />,
    children: (
      <Form
        action={itemPath("tags", tag.id)}
        submitLabel={common.save}
        readOnly={<Card>{tag.description ?? tag.slug}</Card>}
      >
        <ShownVersion version={etag} />
        <TagFields tag={tag} />
      </Form>
    ),
  })
}

function TagFields({ tag }: { tag?: TagRow }) {
  const { content: t } = useT()
  return (
    <>
      <Field name="name" label={t.title} required maxlength={MAX_TITLE_LENGTH} value={tag?.name} />
      <TextArea name="description" rows={3} maxlength={400} value={tag?.description} />
      <SlugField list={TAGS} value={tag?.slug} />
    </>
  )
}
