// A shop's media library: folders, uploads and the trash.
import type { Context } from "hono"
import * as z from "zod"
import { fileUrl } from "../../content/files"
import { uploadFile } from "../../content/media/files/upload"
import { CreateFolder } from "../../content/media/folders/schemas"
import { createFolder } from "../../content/media/folders/service"
import { ListMedia, listMedia, MEDIA_PAGE_SIZE, type MediaListing } from "../../content/media/operator-list"
import { hasPreview } from "../../content/media/preview"
import { Refusal } from "../../core/http/refusal"
import { splitFileName } from "../../lib/file-name"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { EmptyState, formatBytes, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { MEDIA } from "../paths"
import { getCtx } from "../session"
import type { AdminEnv } from "../types"
import { useT } from "../view"
import { DeleteLink } from "./content-parts"
import { EditorScript } from "./editor"

type C = Context<AdminEnv>

export const TRASH = `${MEDIA}?trashed=1`

/** The page of a folder; 0 is the root. */
export const folderPath = (id: number): string => (id ? `${MEDIA}?folder_id=${id}` : MEDIA)

/** The path of an action on a file or folder. */
export const mediaPath = (kind: "files" | "folders", id: number, action = "edit"): string =>
  `${MEDIA}/${kind}/${id}/${action}`

/** The path of a file on the shop's hosts. */
export const filePath = (c: C, path: string): string => new URL(fileUrl(getCtx(c), path)).pathname

export const media = createAdminPages()
  .get(MEDIA, (c) => renderMedia(c))
  .post(`${MEDIA}/files`, requireRole("editor"), handleUpload)
  .post(`${MEDIA}/folders`, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: CreateFolder,
      run: async (input) => withNotice(folderPath((await createFolder(getCtx(c), input)).id), "content_created"),
      render: (state) => renderMedia(c, state),
    }),
  )

/** Streams the file of a form into the library. @param accepts whether a file of this media type is stored */
const uploadSubmitted = (c: C, accepts?: (type: string) => boolean) =>
  uploadFile(getCtx(c), {
    contentType: c.req.header("Content-Type"),
    contentLength: c.req.header("Content-Length"),
    body: c.req.raw.body,
    ...(accepts && { accepts }),
  })

/** Streams the picture of a form into the library. */
export const uploadPicture = (c: C) => uploadSubmitted(c, (type) => type.startsWith("image/"))

function handleUpload(c: C): Promise<Response> {
  return handleForm(c, {
    schema: z.object({}),
    run: async () => {
      const file = await uploadSubmitted(c)
      return withNotice(folderPath(file.folderId), "media_uploaded")
    },
    render: (state) => renderMedia(c, state),
  }).catch((cause) => {
    if (!isTooLarge(cause)) throw cause
    const { locale, settings } = c.var.ctx
    const message = c.var.strings.content.media.too_large(formatBytes(settings.MEDIA_MAX_BYTES, locale))
    return renderMedia(c, { status: 422, values: new Map(), errors: {}, message })
  })
}

const isTooLarge = (cause: unknown): boolean =>
  cause instanceof Refusal && cause.code === "http_error" && cause.facts.status === 413

async function renderMedia(c: C, state?: FormState): Promise<Response> {
  const { content: t } = c.var.strings
  const { input } = pickQuery(ListMedia, c.req.query())
  // The path of a refused form does not name its folder.
  const submitted = /^\d{1,15}$/.exec(state?.values.get("parent_id")?.at(-1) ?? "")?.[0]
  const listing = await listMedia(getCtx(c).site, {
    ...input,
    folder_id: submitted ? Number(submitted) : input.folder_id,
  }).catch((cause) => {
    if (!state) throw cause
    return listMedia(getCtx(c).site, { ...input, folder_id: 0 })
  })
  const folder = listing.path.at(-1)
  const isEmpty = listing.folders.length + listing.files.length === 0
  return page(c, {
    title: input.trashed ? t.media.trash : (folder?.name ?? t.nav.media),
    crumbs:
      input.trashed || folder
        ? [
            [t.nav.media, MEDIA],
            ...listing.path.slice(0, -1).map(({ id, name }): [string, string] => [name, folderPath(id)]),
          ]
        : [],
    state,
    actions: (
      <>
        {folder && !input.trashed && (
          <ActionButton action={mediaPath("folders", folder.id, "trash")} label={t.media.to_trash} />
        )}
        <a class="button" data-quiet href={input.trashed ? MEDIA : TRASH}>
          {input.trashed ? t.nav.media : t.media.trash}
        </a>
      </>
    ),
    children: (
      <div id="library">
        {!input.trashed && <AddForms folder={folder} />}
        {isEmpty && <EmptyState text={input.trashed ? t.media.empty_trash : t.media.empty} />}
        {!isEmpty && (input.trashed ? <TrashTable listing={listing} /> : <Tiles c={c} listing={listing} />)}
        <Pager page={input.page} pageSize={MEDIA_PAGE_SIZE} hasMore={listing.hasMore} />
      </div>
    ),
  })
}

/** Forms to upload files, to create a folder, and to rename the current one. */
function AddForms({ folder }: { folder: MediaListing["path"][number] | undefined }) {
  const { media: t } = useT().content
  const id = String(folder?.id ?? 0)
  return (
    <div class="disclosures">
      <Disclosure label={t.upload} id="upload" action={`${MEDIA}/files`}>
        <div data-drop>
          <Form action={`${MEDIA}/files`} submitLabel={t.upload} upload>
            <input type="hidden" name="folder_id" value={id} />
            <Field name="file" label={t.file} type="file" required hint={t.drop} />
          </Form>
        </div>
        <EditorScript />
      </Disclosure>
      <Disclosure label={t.new_folder} id="new" action={`${MEDIA}/folders`}>
        <Form action={`${MEDIA}/folders`} submitLabel={t.new_folder}>
          <input type="hidden" name="parent_id" value={id} />
          <Field name="name" required maxlength={120} idPrefix="folder" />
        </Form>
      </Disclosure>
      {folder && (
        <Disclosure label={t.rename} id="rename" action={mediaPath("folders", folder.id)}>
          <Form action={mediaPath("folders", folder.id)} submitLabel={t.rename}>
            <Field name="name" required maxlength={120} value={folder.name} idPrefix="rename" />
          </Form>
        </Disclosure>
      )}
    </div>
  )
}

/** Folders, then files. The script of the picker reads the URL and the text of a picture from its link. */
function Tiles({ c, listing: { folders, files } }: { c: C; listing: MediaListing }) {
  const { media: t } = useT().content
  return (
    <ul class="tiles">
      {folders.map(({ id, name }) => (
        <li>
          <a href={folderPath(id)}>
            <span class="box">{t.folder}</span>
            {name}
          </a>
        </li>
      ))}
      {files.map((file) => {
        const isPicture = hasPreview(file)
        const url = filePath(c, file.path)
        return (
          <li>
            <a
              href={mediaPath("files", file.id)}
              data-url={isPicture ? url : undefined}
              data-alt={isPicture ? (file.alt ?? "") : undefined}
            >
              {isPicture ? (
                <img class="box" src={url} alt="" loading="lazy" />
              ) : (
                <span class="box">{splitFileName(file.name).extension.slice(1).toUpperCase()}</span>
              )}
              {file.name}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

type Item = { kind: "files" | "folders" } & Pick<MediaListing["folders"][number], "id" | "name" | "trashedAt">

function TrashTable({ listing }: { listing: MediaListing }) {
  const { content: t, common } = useT()
  const rows: Item[] = [
    ...listing.folders.map((row): Item => ({ kind: "folders", ...row })),
    ...listing.files.map((row): Item => ({ kind: "files", ...row })),
  ]
  return (
    <Table
      label={t.media.trash}
      rows={rows}
      columns={[
        {
          head: t.media.name,
          cell: ({ kind, name }) => (
            <>
              {name} {kind === "folders" && <span class="sub">{t.media.folder}</span>}
            </>
          ),
        },
        { head: t.media.trashed_at, cell: ({ trashedAt }) => <Time at={trashedAt} /> },
        {
          head: common.edit,
          cell: ({ kind, id, name }) => (
            <div class="row">
              <ActionButton action={mediaPath(kind, id, "restore")} label={t.media.restore} about={name} />
              <DeleteLink href={mediaPath(kind, id, "delete")} />
            </div>
          ),
        },
      ]}
    />
  )
}
