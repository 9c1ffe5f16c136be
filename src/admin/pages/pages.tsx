// A shop's pages, such as about and terms: list, new, edit, preview, revisions and delete.
import type { Context } from "hono"
import { resourceTag } from "../../content/blog/caching"
import { createPage, deletePage, restorePage, updatePage } from "../../content/blog/pages/save"
import { type PageRow, pageResource, SavePage, UpdatePage } from "../../content/blog/pages/schemas"
import { readPage } from "../../content/blog/pages/service"
import { Field, Form, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Card } from "../../page-kit/parts"
import { ShownVersion } from "../../page-kit/version-guard"
import { previewContent } from "../../storefront/service"
import { richText } from "../../storefront/text/rich-text"
import { createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { PAGES } from "../paths"
import { getEditorCtx, getReaderCtx } from "../session"
import type { AdminEnv } from "../types"
import { useT } from "../view"
import { itemPath, renderContentList, Status } from "./content-list"
import { ItemActions, MAX_TITLE_LENGTH, renderDelete, SlugField, StatusField } from "./content-parts"
import { PictureField, RichText } from "./editor"
import { createRevisionPages } from "./revisions"

type C = Context<AdminEnv>

const load = (c: C): Promise<PageRow> => readPage(getReaderCtx(c), c.req.param("id") ?? "")

export const pages = createAdminPages()
  .get(PAGES, (c) => renderContentList(c, "pages"))
  .get(`${PAGES}/new`, requireRole("editor"), (c) => renderNew(c))
  .get(`${PAGES}/:id`, (c) => c.redirect(itemPath("pages", c.req.param("id")), 303))
  .get(`${PAGES}/:id/edit`, (c) => renderEdit(c))
  .get(`${PAGES}/:id/preview`, async (c) => {
    const { slug } = await load(c)
    const { ctx } = c.var
    return previewContent(ctx, ctx.site.hostname, "pages", slug, ctx.locale)
  })
  .get(`${PAGES}/:id/delete`, requireRole("editor"), async (c) => renderDelete(c, "pages", await load(c)))
  .post(PAGES, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: SavePage,
      run: async (input) => {
        const { id } = await createPage(getEditorCtx(c), input)
        return withNotice(itemPath("pages", id), "content_created")
      },
      render: (state) => renderNew(c, state),
    }),
  )
  .post(`${PAGES}/:id/edit`, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: UpdatePage,
      isEdit: true,
      run: async (input, assertUnchanged) => {
        const { id } = await updatePage(getEditorCtx(c), c.req.param("id"), input, assertUnchanged)
        return withNotice(itemPath("pages", id), "content_saved")
      },
      render: (state) => renderEdit(c, state),
    }),
  )
  .post(`${PAGES}/:id/delete`, requireRole("editor"), async (c) => {
    await deletePage(getEditorCtx(c), c.req.param("id"))
    return c.redirect(withNotice(PAGES, "content_deleted"), 303)
  })

export const pageRevisions = createRevisionPages({ kind: "pages", subject: "page", load, restore: restorePage })

const renderNew = (c: C, state: FormState = emptyForm()) =>
  page(c, {
    title: c.var.strings.content.new.pages,
    crumbs: [[c.var.strings.content.nav.pages, PAGES]],
    state,
    children: (
      <Form action={PAGES} submitLabel={c.var.strings.common.create}>
        <PageFields />
      </Form>
    ),
  })

async function renderEdit(c: C, state?: FormState) {
  const { content: t, common } = c.var.strings
  const found = await load(c)
  const etag = await resourceTag(pageResource(found))
  return page(c, {
    title: found.name,
    crumbs: [[t.nav.pages, PAGES]],
    state,
    actions: (
      <>
        <Status row={{ status: found.status, publishedAt: null }} />
        <ItemActions kind="pages" item={{ ...found, publishedAt: null }} />
      </>
    ),
    children: (
      <Form
        action={itemPath("pages", found.id)}
        submitLabel={common.save}
        readOnly={<Card>{richText(found.content)}</Card>}
      >
        <ShownVersion version={etag} />
        <PageFields found={found} />
      </Form>
    ),
  })
}

function PageFields({ found }: { found?: PageRow }) {
  const { content: t } = useT()
  return (
    <>
      <Field name="name" label={t.title} required maxlength={MAX_TITLE_LENGTH} value={found?.name} />
      <RichText name="content" label={t.text} value={found?.content} />
      <TextArea name="description" label={t.summary} rows={2} maxlength={400} value={found?.description} />
      <PictureField name="image" label={t.cover} value={found?.image} hint={t.cover_hint} />
      <StatusField value={found?.status ?? "published"} />
      <SlugField list={PAGES} value={found?.slug} />
    </>
  )
}
