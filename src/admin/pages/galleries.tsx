// A shop's galleries, where it has the app: list, new, edit and delete.
import type { Context } from "hono"
import {
  CreateGallery,
  type GalleryWithPictures,
  ListGalleries,
  MAX_PICTURES,
  UpdateGallery,
} from "../../apps/galleries/schemas"
import { createGallery, deleteGallery, getGallery, listGalleries, updateGallery } from "../../apps/galleries/service"
import { FilterForm, SelectFilter } from "../../page-kit/filters"
import { Form } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Badge, Card, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { convertPictures, GalleryFields, toPictureLines } from "../../shop-kit/galleries"
import { createAdminPages, requireRole } from "../access"
import { requireGalleries } from "../apps"
import { EmptyList } from "../empty-list"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { GALLERIES } from "../paths"
import { getCtx } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"
import { DeleteLink, renderDelete, SlugField } from "./content-parts"
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
              <EmptyList
                texts={{ empty: t.empty.galleries, no_matches: t.no_matches.galleries }}
                add={{ label: t.new.galleries, path: `${GALLERIES}/new`, action: GALLERIES }}
                hasDrafts
              />
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
      convert: (fields) => convertPictures(c.var.form, fields),
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
      convert: (fields) => convertPictures(c.var.form, fields),
      run: async (input, assertUnchanged) => {
        const { gallery } = await updateGallery(getCtx(c), c.req.param("id"), input, assertUnchanged)
        return withNotice(galleryPath(gallery.id), "content_saved")
      },
      render: (state) => renderEdit(c, state),
    }),
  )
  .post(`${GALLERIES}/:id/delete`, requireRole("editor"), requireGalleries, async (c) => {
    await deleteGallery(getCtx(c), c.req.param("id"))
    return c.redirect(withNotice(GALLERIES, "content_deleted"), 303)
  })

const renderNew = (c: C, state: FormState = emptyForm()) =>
  page(c, {
    title: c.var.strings.content.new.galleries,
    crumbs: [[c.var.strings.content.nav.galleries, GALLERIES]],
    state,
    children: (
      <Form action={GALLERIES} submitLabel={c.var.strings.common.create}>
        <Fields />
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
          <Fields found={found} />
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

/** The fields of a gallery, with pickers for its pictures. */
function Fields({ found }: { found?: GalleryWithPictures }) {
  const { content: t } = useT()
  const { pictures, pictures_hint: hint } = t.galleries
  return (
    <GalleryFields
      found={found}
      texts={t}
      pictures={
        <PictureField
          name="pictures"
          label={pictures}
          rows={8}
          max={MAX_PICTURES}
          value={toPictureLines(found)}
          hint={hint}
        />
      }
      cover={<PictureField name="image" label={t.cover} value={found?.gallery.image} hint={t.cover_hint} />}
      slug={<SlugField list={GALLERIES} value={found?.gallery.slug} />}
    />
  )
}
