// A shop's galleries, where it has the app: list, new, edit and delete.
import type { Context } from "hono"
import { CreateGallery, type GalleryWithPictures, ListGalleries, UpdateGallery } from "../../apps/galleries/schemas"
import { createGallery, deleteGallery, getGallery, listGalleries, updateGallery } from "../../apps/galleries/service"
import { FilterForm, SelectFilter } from "../../page-kit/filters"
import { Field, Form, Select, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Badge, Card, EmptyState, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { createAdminPages, requireRole } from "../access"
import { requireGalleries } from "../apps"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { GALLERIES } from "../paths"
import { getCtx } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"
import { DeleteLink, MAX_TITLE_LENGTH, renderDelete, SlugField } from "./content-parts"
import { PictureField } from "./editor"

type C = Context<AdminEnv>

const PER_PAGE = 50

const galleryPath = (id: number | string, action = "edit") => `${GALLERIES}/${id}/${action}`

function getList(c: C) {
  const { content: t } = c.var.strings
  return { title: t.nav.galleries, path: GALLERIES, deletion: t.delete_body.galleries }
}

const load = (c: C): Promise<GalleryWithPictures> => getGallery(getCtx(c), c.req.param("id") ?? "")

export const galleries = createAdminPages()
  .get(GALLERIES, requireGalleries, async (c) => {
    const { content: t, kit, common } = c.var.strings
    const { input } = pickQuery(ListGalleries.omit({ per_page: true }), c.req.query())
    const { rows, total } = await listGalleries(getCtx(c), { ...input, per_page: PER_PAGE })
    return page(c, {
      title: t.nav.galleries,
      actions: <NewLink />,
      children: (
        <>
          <FilterForm live="list">
            <SelectFilter
              name="status"
              anyLabel={t.statuses.published}
              choices={[{ value: "draft", label: t.statuses.draft }]}
            />
          </FilterForm>
          <div id="list">
            {rows.length === 0 ? (
              <EmptyState text={t.empty.galleries} />
            ) : (
              <Table
                label={t.nav.galleries}
                rows={rows}
                columns={[
                  { head: t.title, cell: (row) => <a href={galleryPath(row.id)}>{row.name}</a> },
                  {
                    head: kit.fields.status ?? "",
                    cell: (row) => <Badge status={row.status} text={t.statuses[row.status]} />,
                  },
                  { head: common.updated, cell: (row) => <Time at={row.updatedAt} /> },
                ]}
              />
            )}
            <Pager page={input.page} pageSize={PER_PAGE} total={total} />
          </div>
        </>
      ),
    })
  })
  .get(`${GALLERIES}/new`, requireGalleries, requireRole("editor"), (c) => renderNew(c))
  .get(`${GALLERIES}/:id`, (c) => c.redirect(galleryPath(c.req.param("id")), 303))
  .get(`${GALLERIES}/:id/edit`, requireGalleries, (c) => renderEdit(c))
  .get(`${GALLERIES}/:id/delete`, requireGalleries, requireRole("editor"), async (c) =>
    renderDelete(c, getList(c), (await load(c)).gallery),
  )
  .post(GALLERIES, requireRole("editor"), requireGalleries, (c) =>
    handleForm(c, {
      schema: CreateGallery,
      convert: (fields) => convertPictures(c, fields),
      run: async (input) => {
        const { gallery } = await createGallery(getCtx(c), input)
        return withNotice(galleryPath(gallery.id), "content_created")
      },
      render: (state) => renderNew(c, state),
    }),
  )
  .post(`${GALLERIES}/:id/edit`, requireRole("editor"), requireGalleries, (c) =>
    handleForm(c, {
      schema: UpdateGallery,
      isEdit: true,
      convert: (fields) => convertPictures(c, fields),
      run: async (input) => {
        const { gallery } = await updateGallery(getCtx(c), c.req.param("id"), input)
        return withNotice(galleryPath(gallery.id), "content_saved")
      },
      render: (state) => renderEdit(c, state),
    }),
  )
  .post(`${GALLERIES}/:id/delete`, requireRole("editor"), requireGalleries, async (c) => {
    await deleteGallery(getCtx(c), c.req.param("id"))
    return c.redirect(withNotice(GALLERIES, "content_deleted"), 303)
  })

/** Lines that are parsed: one more than a gallery may have, which is refused. */
const MAX_LINES = 101

/** Converts the lines of pictures: a path or URL, a space, and a caption. */
function convertPictures(c: C, fields: Record<string, unknown>) {
  const { pictures: _, ...others } = fields
  const text = c.var.form.get("pictures")?.at(-1)
  if (text === undefined) return { fields: others, errors: {} }
  const lines = text.split("\n", MAX_LINES).map((line) => line.trim())
  const pictures = lines.filter(Boolean).map((line) => {
    const [image = "", ...caption] = line.split(/\s+/)
    return { image, caption: caption.join(" ") }
  })
  return { fields: { ...others, pictures }, errors: {} }
}

const toLine = ({ image, caption }: GalleryWithPictures["pictures"][number]): string =>
  [image, caption?.replace(/\s+/g, " ")].filter(Boolean).join(" ")

const renderNew = (c: C, state: FormState = emptyForm()) =>
  page(c, {
    title: c.var.strings.content.new.galleries,
    crumbs: [[c.var.strings.content.nav.galleries, GALLERIES]],
    state,
    children: (
      <Form action={GALLERIES} submitLabel={c.var.strings.common.create}>
        <GalleryFields />
      </Form>
    ),
  })

async function renderEdit(c: C, state?: FormState) {
  const { content: t, common } = c.var.strings
  const found = await load(c)
  const { gallery, pictures } = found
  return page(c, {
    title: gallery.name,
    crumbs: [[t.nav.galleries, GALLERIES]],
    state,
    actions: <DeleteLink href={galleryPath(gallery.id, "delete")} />,
    children: (
      <>
        {pictures.length > 0 && (
          <Card>
            {pictures.map(({ image, caption }) => (
              <img class="thumb" src={image} alt={caption ?? ""} loading="lazy" />
            ))}
          </Card>
        )}
        <Form
          action={galleryPath(gallery.id)}
          submitLabel={common.save}
          readOnly={<Card>{gallery.description ?? gallery.slug}</Card>}
        >
          <GalleryFields found={found} />
        </Form>
      </>
    ),
  })
}

function NewLink() {
  const { canPost, t } = useAdminView()
  return canPost(GALLERIES) ? (
    <a class="button" href={`${GALLERIES}/new`}>
      {t.content.new.galleries}
    </a>
  ) : null
}

function GalleryFields({ found }: { found?: GalleryWithPictures }) {
  const { content: t } = useT()
  const gallery = found?.gallery
  return (
    <>
      <Field name="name" label={t.title} required maxlength={MAX_TITLE_LENGTH} value={gallery?.name} />
      <PictureField
        name="pictures"
        label={t.galleries.pictures}
        rows={8}
        value={found?.pictures.map(toLine).join("\n")}
        hint={t.galleries.pictures_hint}
      />
      <TextArea name="description" rows={3} maxlength={2000} value={gallery?.description} />
      <PictureField name="image" label={t.cover} value={gallery?.image} hint={t.cover_hint} />
      <Select
        name="status"
        value={gallery?.status ?? "published"}
        choices={(["published", "draft"] as const).map((value) => ({ value, label: t.statuses[value] }))}
      />
      <SlugField list={GALLERIES} value={gallery?.slug} />
    </>
  )
}
