// The galleries of a store: list, new, edit and delete.
import { galleries } from "../../../apps/galleries/manifest"
import { CreateGallery, type GalleryWithPictures, ListGalleries, UpdateGallery } from "../../../apps/galleries/schemas"
import { createGallery, deleteGallery, getGallery, listGalleries, updateGallery } from "../../../apps/galleries/service"
import { Disclosure } from "../../../page-kit/disclosure"
import { SelectFilter } from "../../../page-kit/filters"
import { ActionButton, Field, Form, TextArea } from "../../../page-kit/form"
import type { FormState } from "../../../page-kit/form-state"
import { Badge, Card, DescriptionList, EmptyState, Pager, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { convertPictures, GalleryFields, toPictureLines } from "../../../shop-kit/galleries"
import { harmless } from "../../form-access"
import { pathParam } from "../../form-handler"
import { handleEditForm, handleForm, NoFields } from "../../forms"
import { Filters } from "../../kit/filters"
import { withNotice } from "../../notices"
import { parseQuery } from "../../query-params"
import { createPages } from "../../router"
import { W } from "../../strings"
import { getSitePath, sitePage, withSiteCrumbs } from "../site-page"
import { AppState, type C, getReaderCtx, getStaffCtx, PER_PAGE, SITE } from "./shared"

const PATH = `${SITE}/galleries`

const { galleries: T } = W.shop

const listPath = (c: C) => `${getSitePath(c)}/galleries`

export const shopGalleries = createPages()
  .get(PATH, (c) => renderGalleries(c))
  .get(`${PATH}/:id`, (c) => renderGallery(c))
  .post(PATH, harmless("support"), async (c) => {
    const ctx = await getStaffCtx(c)
    return handleForm(
      c,
      CreateGallery,
      async (input) => {
        const { gallery } = await createGallery(ctx, input)
        return withNotice(`${listPath(c)}/${gallery.id}`, "created")
      },
      (state) => renderGalleries(c, state),
      (fields) => convertPictures(c.var.form, fields),
    )
  })
  .post(`${PATH}/:id/edit`, harmless("support"), async (c) => {
    const ctx = await getStaffCtx(c)
    return handleEditForm(
      c,
      UpdateGallery,
      async (input, assertUnchanged) => {
        const { gallery } = await updateGallery(ctx, pathParam(c, "id"), input, assertUnchanged)
        return withNotice(`${listPath(c)}/${gallery.id}`, "saved")
      },
      (state) => renderGallery(c, state),
      (fields) => convertPictures(c.var.form, fields),
    )
  })
  .confirmed(`${PATH}/:id/delete`, {
    roles: ["support"],
    schema: NoFields,
    async preview(c) {
      const { gallery } = await getGallery(await getReaderCtx(c), pathParam(c, "id"))
      const back = `${listPath(c)}/${gallery.id}`
      return {
        title: W.sites.delete_title(gallery.name),
        crumbs: withSiteCrumbs(c, [
          [W.sites.galleries, listPath(c)],
          [gallery.name, back],
        ]),
        back,
        state: [gallery.siteId, gallery.id, gallery.name, gallery.updatedAt],
        effects: T.delete_effects,
        submitLabel: T.delete,
      }
    },
    async run(c) {
      await deleteGallery(await getStaffCtx(c), pathParam(c, "id"))
      return withNotice(listPath(c), "deleted")
    },
    renderForm: renderGallery,
  })

async function renderGalleries(c: C, state?: FormState) {
  const { input } = parseQuery(c, ListGalleries.omit({ per_page: true }))
  const ctx = await getReaderCtx(c)
  const { rows, total } = await listGalleries(ctx, { ...input, per_page: PER_PAGE })
  return sitePage(c, {
    title: W.sites.galleries,
    state,
    children: (
      <>
        <AppState site={ctx.site} app={galleries} />
        <Filters>
          <SelectFilter
            name="status"
            anyLabel={T.statuses.published}
            choices={[{ value: "draft", label: T.statuses.draft }]}
          />
        </Filters>
        <Disclosure label={T.new} id="new" action={listPath(c)}>
          <Form action={listPath(c)} submitLabel={W.common.create}>
            <Fields />
          </Form>
        </Disclosure>
        {rows.length === 0 ? (
          <EmptyState text={T.empty} />
        ) : (
          <Table
            label={W.sites.galleries}
            rows={rows}
            columns={[
              { head: W.keys.name, cell: (row) => <a href={`${listPath(c)}/${row.id}`}>{row.name}</a> },
              { head: W.sites.slug, cell: (row) => row.slug },
              { head: W.stores.status, cell: (row) => <Badge status={row.status} text={T.statuses[row.status]} /> },
              { head: W.sites.updated, cell: (row) => <Time at={row.updatedAt} /> },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={PER_PAGE} total={total} />
      </>
    ),
  })
}

const Fields = ({ found }: { found?: GalleryWithPictures }) => (
  <GalleryFields
    found={found}
    texts={T}
    pictures={
      <TextArea name="pictures" label={T.pictures} rows={8} value={toPictureLines(found)} hint={T.pictures_hint} />
    }
    cover={<Field name="image" label={T.cover} maxlength={500} value={found?.gallery.image} hint={W.shop.image_hint} />}
    slug={
      <Field
        name="slug"
        maxlength={120}
        value={found?.gallery.slug}
        hint={W.sites.slug_hint}
        required={found !== undefined}
      />
    }
  />
)

async function renderGallery(c: C, state?: FormState) {
  const ctx = await getReaderCtx(c)
  const found = await getGallery(ctx, pathParam(c, "id"))
  const { gallery } = found
  const path = `${listPath(c)}/${gallery.id}`
  return sitePage(c, {
    title: gallery.name,
    crumbs: [[W.sites.galleries, listPath(c)]],
    state,
    actions: <ActionButton action={`${path}/delete`} label={T.delete} danger />,
    children: (
      <>
        <AppState site={ctx.site} app={galleries} />
        <Card>
          <Form action={`${path}/edit`} submitLabel={W.common.save} readOnly={<Summary found={found} />}>
            <Fields found={found} />
          </Form>
        </Card>
      </>
    ),
  })
}

/** The read-only view for operators who may not change the gallery. */
const Summary = ({ found: { gallery, pictures } }: { found: GalleryWithPictures }) => (
  <DescriptionList
    items={[
      [W.stores.status, <Badge status={gallery.status} text={T.statuses[gallery.status]} />],
      [W.sites.slug, gallery.slug],
      [W.webhooks.description, gallery.description],
      [T.pictures, pictures.length],
      [W.sites.updated, <Time at={gallery.updatedAt} />],
    ]}
  />
)
