// A site's media library: folders, files and the trash.
import type { Context } from "hono"
import type * as z from "zod"
import { fileUrl } from "../../content/files"
import { UpdateFile } from "../../content/media/files/schemas"
import { deleteFiles, restoreFile, trashFile, updateFile } from "../../content/media/files/service"
import { uploadFile } from "../../content/media/files/upload"
import { CreateFolder, UpdateFolder } from "../../content/media/folders/schemas"
import {
  createFolder,
  deleteFolders,
  restoreFolder,
  trashFolder,
  updateFolder,
} from "../../content/media/folders/service"
import {
  getMediaSite,
  ListMedia,
  listMedia,
  MEDIA_PAGE_SIZE,
  type MediaListing,
} from "../../content/media/operator-list"
import { hasPreview, readPreview } from "../../content/media/preview"
import type { MediaCtx } from "../../content/site"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { EmptyState, formatBytes, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { useView } from "../../page-kit/view"
import type { Confirmation } from "../confirmation/confirmed"
import { harmless } from "../form-access"
import { pathParam } from "../form-handler"
import { handleEditForm, handleForm, NoFields, toFormState } from "../forms"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { getSitePath, sitePage } from "./site-page"

const PATH = "/console/sites/:site/media"

type Console = Context<ConsoleEnv>

const createMediaCtx = async (c: Console): Promise<MediaCtx> => ({
  ...c.var.ctx,
  site: await getMediaSite(c.var.ctx, c.req.param("site") ?? ""),
})

/** The page of a folder; 0 is the root. */
const getFolderPath = (c: Console, folder: number | string) =>
  `${getSitePath(c)}/media${Number(folder) ? `?folder_id=${folder}` : ""}`

const getTrashPath = (c: Console) => `${getSitePath(c)}/media?trashed=1`

/** The folder from which a form of the list was submitted. */
const getReturnPath = (c: Console) =>
  getFolderPath(c, /^\d{1,16}$/.exec(c.var.form.get("from")?.at(-1) ?? "")?.[0] ?? 0)

/** Creates a handler for a form about the folder or file in its path. */
const itemHandler =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Console, ctx: MediaCtx, id: number, input: Input<Schema>) => Promise<string>,
  ) =>
  async (c: Console) => {
    const ctx = await createMediaCtx(c)
    const id = rowId(c.req.param("id") ?? "")
    return handleEditForm(
      c,
      schema,
      (input) => run(c, ctx, id, input),
      (state) => renderMedia(c, state),
    )
  }

const assertDeleted = (found: boolean) => {
  if (!found) throw new Refusal("not_found")
}

/** Deletes a file or a folder of the trash. */
const permanentDeletion = (
  kind: "files" | "folders",
  deleteItems: (ctx: MediaCtx, ids: number[]) => Promise<boolean>,
): Confirmation<typeof NoFields> => ({
  roles: ["support"],
  password: kind === "files" ? "permanently delete a file" : "permanently delete a folder and its files",
  schema: NoFields,
  async preview(c) {
    const { site } = await createMediaCtx(c)
    const id = rowId(pathParam(c, "id"))
    return {
      title: W.media.delete_title[kind](id),
      back: getTrashPath(c),
      state: [site.id, kind, id],
      effects: [W.media.delete_effect[kind], W.storeActions.irreversible],
      submitLabel: W.media.delete,
    }
  },
  async run(c) {
    assertDeleted(await deleteItems(await createMediaCtx(c), [rowId(pathParam(c, "id"))]))
    return withNotice(getTrashPath(c), "deleted")
  },
  renderForm: (c, state) => renderMedia(c, state),
})

export const media = createPages()
  .get(PATH, (c) => renderMedia(c))
  .get(`${PATH}/files/:id/picture`, async (c) => {
    const picture = await readPreview(await createMediaCtx(c), rowId(c.req.param("id")))
    if (!picture) throw new Refusal("not_found")
    return c.body(picture.body, 200, { "Content-Type": picture.type })
  })
  .post(`${PATH}/files`, harmless("support"), handleUpload)
  .post(`${PATH}/folders`, harmless("support"), async (c) => {
    const ctx = await createMediaCtx(c)
    return handleForm(
      c,
      CreateFolder,
      async (input) => withNotice(getFolderPath(c, (await createFolder(ctx, input)).id), "created"),
      (state) => renderMedia(c, state),
    )
  })
  .post(
    `${PATH}/folders/:id/edit`,
    harmless("support"),
    itemHandler(UpdateFolder, async (c, ctx, id, input) => {
      await updateFolder(ctx, id, input)
      return withNotice(getFolderPath(c, id), "saved")
    }),
  )
  .post(
    `${PATH}/folders/:id/trash`,
    harmless("support"),
    itemHandler(NoFields, async (c, ctx, id) => {
      await trashFolder(ctx, id)
      return withNotice(getReturnPath(c), "folder_trashed", id)
    }),
  )
  .post(
    `${PATH}/folders/:id/restore`,
    harmless("support"),
    itemHandler(NoFields, async (c, ctx, id) =>
      withNotice(getFolderPath(c, (await restoreFolder(ctx, id)).parentId), "folder_restored", id),
    ),
  )
  .confirmed(`${PATH}/folders/:id/delete`, permanentDeletion("folders", deleteFolders))
  .post(
    `${PATH}/files/:id/edit`,
    harmless("support"),
    itemHandler(UpdateFile, async (c, ctx, id, input) =>
      withNotice(getFolderPath(c, (await updateFile(ctx, id, input)).folderId), "saved"),
    ),
  )
  .post(
    `${PATH}/files/:id/trash`,
    harmless("support"),
    itemHandler(NoFields, async (c, ctx, id) => {
      await trashFile(ctx, id)
      return withNotice(getReturnPath(c), "file_trashed", id)
    }),
  )
  .post(
    `${PATH}/files/:id/restore`,
    harmless("support"),
    itemHandler(NoFields, async (c, ctx, id) =>
      withNotice(getFolderPath(c, (await restoreFile(ctx, id)).folderId), "file_restored", id),
    ),
  )
  .confirmed(`${PATH}/files/:id/delete`, permanentDeletion("files", deleteFiles))

/** Streams an uploaded file into the library. */
async function handleUpload(c: Console): Promise<Response> {
  const ctx = await createMediaCtx(c)
  try {
    const file = await uploadFile(ctx, {
      contentType: c.req.header("Content-Type"),
      contentLength: c.req.header("Content-Length"),
      body: c.req.raw.body,
    })
    return c.redirect(withNotice(getFolderPath(c, file.folderId), "uploaded"), 303)
  } catch (thrown) {
    const message = getUploadError(thrown, ctx.settings.MEDIA_MAX_BYTES)
    const state = message
      ? { status: 422 as const, values: new Map(), errors: {}, message }
      : toFormState(thrown, new Map())
    if (!state) throw thrown
    return renderMedia(c, state)
  }
}

/** The message for a file that exceeds the plan's storage or the platform's limit; undefined for other errors. */
function getUploadError(thrown: unknown, maxBytes: number): string | undefined {
  if (!(thrown instanceof Refusal)) return undefined
  if (thrown.code === "limit_reached") return W.media.no_room
  return thrown.code === "http_error" && thrown.facts.status === 413
    ? W.media.too_large(formatBytes(maxBytes))
    : undefined
}

async function renderMedia(c: Console, state?: FormState): Promise<Response> {
  const ctx = await createMediaCtx(c)
  const { input } = parseQuery(c, ListMedia)
  // The path of a refused form does not name its folder; the form's fields do.
  const submittedFolder = /^\d{1,15}$/.exec(
    (state?.values.get("folder_id") ?? state?.values.get("parent_id"))?.at(-1) ?? "",
  )?.[0]
  const query = submittedFolder ? { ...input, folder_id: Number(submittedFolder) } : input
  const listing = await listMedia(ctx.site, query).catch((thrown) => {
    if (!state) throw thrown
    return listMedia(ctx.site, input)
  })
  const { path, folders, files, hasMore } = listing
  const folder = path.at(-1)
  const isEmpty = folders.length + files.length === 0
  return sitePage(c, {
    title: input.trashed ? W.media.trash : (folder?.name ?? W.sites.media),
    crumbs: input.trashed || folder ? getBreadcrumb(c, path) : [],
    state,
    actions: (
      <a class="button" data-quiet href={input.trashed ? getFolderPath(c, 0) : getTrashPath(c)}>
        {input.trashed ? W.sites.media : W.media.trash}
      </a>
    ),
    children: (
      <>
        {!input.trashed && <AddForms c={c} folder={folder} />}
        {isEmpty ? (
          <EmptyState text={input.trashed ? W.media.empty_trash : W.media.empty} />
        ) : (
          <MediaTable c={c} ctx={ctx} listing={listing} trashed={input.trashed} from={folder?.id ?? 0} />
        )}
        <Pager page={input.page} pageSize={MEDIA_PAGE_SIZE} hasMore={hasMore} />
      </>
    ),
  })
}

const getBreadcrumb = (c: Console, path: MediaListing["path"]): [string, string][] => [
  [W.sites.media, getFolderPath(c, 0)],
  ...path.slice(0, -1).map(({ id, name }): [string, string] => [name, getFolderPath(c, id)]),
]

type Row =
  | { kind: "folders"; row: MediaListing["folders"][number] }
  | { kind: "files"; row: MediaListing["files"][number] }

interface MediaTableProps {
  c: Console
  ctx: MediaCtx
  listing: MediaListing
  trashed: boolean
  from: number
}

/** Folders, then files, each with its actions. */
function MediaTable({ c, ctx, listing, trashed, from }: MediaTableProps) {
  const rows: Row[] = [
    ...listing.folders.map((row): Row => ({ kind: "folders", row })),
    ...listing.files.map((row): Row => ({ kind: "files", row })),
  ]
  const label = trashed ? W.media.trash : W.sites.media
  return (
    <Table
      label={label}
      rows={rows}
      columns={[
        {
          head: W.keys.name,
          cell: ({ kind, row }) =>
            kind === "folders" ? (
              trashed ? (
                <>
                  {row.name} <span class="sub">{W.media.folder}</span>
                </>
              ) : (
                <a href={getFolderPath(c, row.id)}>{`${row.name}/`}</a>
              )
            ) : (
              <>
                {hasPreview(row) && (
                  <img
                    class="thumb"
                    src={`${getSitePath(c)}/media/files/${row.id}/picture`}
                    alt=""
                    width="40"
                    height="40"
                    loading="lazy"
                  />
                )}
                {trashed ? (
                  row.name
                ) : (
                  <a href={fileUrl(ctx, row.path)} rel="noreferrer">
                    {row.name}
                  </a>
                )}
              </>
            ),
        },
        { head: W.sites.type, cell: ({ kind, row }) => (kind === "folders" ? W.media.folder : row.mimeType) },
        {
          head: W.system.size,
          isNumeric: true,
          cell: ({ kind, row }) => (kind === "folders" ? "" : formatBytes(row.size)),
        },
        {
          head: trashed ? W.media.trashed : W.common.created,
          cell: ({ row }) => <Time at={trashed ? row.trashedAt : row.createdAt} />,
        },
        {
          head: W.common.actions,
          hasActions: true,
          cell: ({ kind, row }) => {
            const at = `${getSitePath(c)}/media/${kind}/${row.id}`
            return (
              <div class="row">
                {trashed ? (
                  <>
                    <ActionButton action={`${at}/restore`} label={W.media.restore} about={row.name} />
                    <ActionButton action={`${at}/delete`} label={W.media.delete} about={row.name} danger />
                  </>
                ) : (
                  <>
                    <RenameForm action={`${at}/edit`} id={`${kind}-${row.id}`} name={row.name} />
                    <ActionButton
                      action={`${at}/trash`}
                      label={W.media.to_trash}
                      about={row.name}
                      hidden={{ from: String(from) }}
                    />
                  </>
                )}
              </div>
            )
          },
        },
      ]}
    />
  )
}

function RenameForm({ action, id, name }: { action: string; id: string; name: string }) {
  const { canPost } = useView()
  if (!canPost(action)) return null
  return (
    <details>
      <summary>{W.media.rename}</summary>
      <Form action={action} submitLabel={W.media.rename}>
        <Field name="name" label={W.keys.name} value={name} required maxlength={120} idPrefix={id} />
      </Form>
    </details>
  )
}

/** Forms to upload a file and to create a folder. */
const AddForms = ({ c, folder }: { c: Console; folder: { id: number; name: string } | undefined }) => (
  <div class="disclosures">
    <Disclosure label={W.media.upload} id="upload" action={`${getSitePath(c)}/media/files`}>
      <Form action={`${getSitePath(c)}/media/files`} submitLabel={W.media.upload} upload>
        <input type="hidden" name="folder_id" value={String(folder?.id ?? 0)} />
        <Field name="file" label={W.media.file} type="file" required />
      </Form>
    </Disclosure>
    <Disclosure label={W.media.new_folder} id="new" action={`${getSitePath(c)}/media/folders`}>
      <Form action={`${getSitePath(c)}/media/folders`} submitLabel={W.media.create_folder}>
        <input type="hidden" name="parent_id" value={String(folder?.id ?? 0)} />
        <Field name="name" label={W.keys.name} required maxlength={120} idPrefix="folder" />
      </Form>
    </Disclosure>
  </div>
)
