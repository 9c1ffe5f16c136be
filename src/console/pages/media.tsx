// A site's media library: its folders, its files, and its trash.
import { type Context, Hono } from "hono"
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
import { ListMedia, listMedia, MEDIA_PAGE, type MediaListing, mediaSite } from "../../content/media/operator-list"
import { isPicture, readPicture } from "../../content/media/picture"
import type { MediaCtx } from "../../content/site"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { change, done, type FormState, NOTHING, stateOf, submit } from "../forms"
import { Button, Field, Form } from "../kit/form"
import { bytes, Card, Empty, Pager, Table, Time } from "../kit/parts"
import { useView } from "../kit/view"
import { readQuery } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { base, sitePage } from "./site-page"

const PATH = "/console/sites/:site/media"

type Console = Context<ConsoleEnv>

const mediaCtx = async (c: Console): Promise<MediaCtx> => ({
  ...c.var.ctx,
  site: await mediaSite(c.var.ctx, c.req.param("site") ?? ""),
})

/** A folder's page; the root's for 0. */
const folderPath = (c: Console, folder: number | string) =>
  `${base(c)}/media${Number(folder) ? `?folder_id=${folder}` : ""}`

const trashPath = (c: Console) => `${base(c)}/media?trashed=1`

/** Where a form of a list leads back to: the folder it stood in. */
const back = (c: Console) => folderPath(c, /^\d{1,16}$/.exec(c.var.form.get("from")?.at(-1) ?? "")?.[0] ?? 0)

/** A POST about the folder or file in its path. */
const act =
  <Schema extends z.ZodObject>(
    schema: Schema,
    run: (c: Console, ctx: MediaCtx, id: number, input: z.output<Schema>) => Promise<string>,
  ) =>
  async (c: Console) => {
    const ctx = await mediaCtx(c)
    const id = rowId(c.req.param("id") ?? "")
    return change(
      c,
      schema,
      (input) => run(c, ctx, id, input),
      (state) => show(c, state),
    )
  }

const missing = (found: boolean) => {
  if (!found) throw new Refusal("not_found")
}

export const media = new Hono<ConsoleEnv>()
  .get(PATH, (c) => show(c))
  .get(`${PATH}/files/:id/picture`, async (c) => {
    const picture = await readPicture(await mediaCtx(c), rowId(c.req.param("id")))
    if (!picture) throw new Refusal("not_found")
    return c.body(picture.body, 200, { "Content-Type": picture.type })
  })
  .post(`${PATH}/files`, sessionOnly, upload)
  .post(`${PATH}/folders`, sessionOnly, async (c) => {
    const ctx = await mediaCtx(c)
    return submit(
      c,
      CreateFolder,
      async (input) => done(folderPath(c, (await createFolder(ctx, input)).id), "created"),
      (state) => show(c, state),
    )
  })
  .post(
    `${PATH}/folders/:id/edit`,
    sessionOnly,
    act(UpdateFolder, async (c, ctx, id, input) => {
      await updateFolder(ctx, id, input)
      return done(folderPath(c, id), "saved")
    }),
  )
  .post(
    `${PATH}/folders/:id/trash`,
    sessionOnly,
    act(NOTHING, async (c, ctx, id) => {
      await trashFolder(ctx, id)
      return done(back(c), "trashed")
    }),
  )
  .post(
    `${PATH}/folders/:id/restore`,
    sessionOnly,
    act(NOTHING, async (c, ctx, id) => done(folderPath(c, (await restoreFolder(ctx, id)).parentId), "restored")),
  )
  .post(
    `${PATH}/folders/:id/delete`,
    recentPassword("deletes a folder with its files for good"),
    act(NOTHING, async (c, ctx, id) => {
      missing(await deleteFolders(ctx, [id]))
      return done(trashPath(c), "deleted")
    }),
  )
  .post(
    `${PATH}/files/:id/edit`,
    sessionOnly,
    act(UpdateFile, async (c, ctx, id, input) =>
      done(folderPath(c, (await updateFile(ctx, id, input)).folderId), "saved"),
    ),
  )
  .post(
    `${PATH}/files/:id/trash`,
    sessionOnly,
    act(NOTHING, async (c, ctx, id) => {
      await trashFile(ctx, id)
      return done(back(c), "trashed")
    }),
  )
  .post(
    `${PATH}/files/:id/restore`,
    sessionOnly,
    act(NOTHING, async (c, ctx, id) => done(folderPath(c, (await restoreFile(ctx, id)).folderId), "restored")),
  )
  .post(
    `${PATH}/files/:id/delete`,
    recentPassword("deletes a file for good"),
    act(NOTHING, async (c, ctx, id) => {
      missing(await deleteFiles(ctx, [id]))
      return done(trashPath(c), "deleted")
    }),
  )

/** A form with a file, which is read as it arrives. */
async function upload(c: Console): Promise<Response> {
  const ctx = await mediaCtx(c)
  try {
    const file = await uploadFile(ctx, {
      contentType: c.req.header("Content-Type"),
      contentLength: c.req.header("Content-Length"),
      body: c.req.raw.body,
    })
    return c.redirect(done(folderPath(c, file.folderId), "uploaded"), 303)
  } catch (thrown) {
    const message = uploadFault(thrown, ctx.settings.MEDIA_MAX_BYTES)
    const state = message
      ? { status: 422 as const, values: new Map(), errors: {}, message }
      : stateOf(thrown, new Map())
    if (!state) throw thrown
    return show(c, state)
  }
}

/** What is said of a file that there is no room for; nothing for any other fault. */
function uploadFault(thrown: unknown, most: number): string | undefined {
  if (!(thrown instanceof Refusal)) return undefined
  if (thrown.code === "limit_reached") return W.media.no_room
  return thrown.code === "http_error" && thrown.facts.status === 413 ? W.media.too_large(bytes(most)) : undefined
}

async function show(c: Console, state?: FormState): Promise<Response> {
  const ctx = await mediaCtx(c)
  const { input } = readQuery(c, ListMedia)
  // A form that is answered again stood in a folder that its address does not say.
  const given = /^\d{1,15}$/.exec((state?.values.get("folder_id") ?? state?.values.get("parent_id"))?.at(-1) ?? "")?.[0]
  const wanted = given ? { ...input, folder_id: Number(given) } : input
  const listing = await listMedia(ctx.site, wanted).catch((thrown) => {
    if (!state) throw thrown
    return listMedia(ctx.site, input)
  })
  const { path, folders, files, more } = listing
  const here = path.at(-1)
  const isEmpty = folders.length + files.length === 0
  return sitePage(c, {
    title: input.trashed ? W.media.trash : (here?.name ?? W.sites.media),
    crumbs: input.trashed || here ? trail(c, path) : [],
    state,
    acts: (
      <a class="button" data-quiet href={input.trashed ? folderPath(c, 0) : trashPath(c)}>
        {input.trashed ? W.sites.media : W.media.trash}
      </a>
    ),
    children: (
      <>
        {isEmpty ? (
          <Empty text={input.trashed ? W.media.no_trash : W.media.nothing} />
        ) : (
          <Listed c={c} ctx={ctx} listing={listing} trashed={input.trashed} from={here?.id ?? 0} />
        )}
        <Pager page={input.page} perPage={MEDIA_PAGE} more={more} />
        {!input.trashed && <Forms c={c} here={here} />}
      </>
    ),
  })
}

const trail = (c: Console, path: MediaListing["path"]): [string, string][] => [
  [W.sites.media, folderPath(c, 0)],
  ...path.slice(0, -1).map(({ id, name }): [string, string] => [name, folderPath(c, id)]),
]

type Row =
  | { kind: "folders"; row: MediaListing["folders"][number] }
  | { kind: "files"; row: MediaListing["files"][number] }

interface ListedProps {
  c: Console
  ctx: MediaCtx
  listing: MediaListing
  trashed: boolean
  from: number
}

/** Folders first, then files; each with what can be done to it where it is. */
function Listed({ c, ctx, listing, trashed, from }: ListedProps) {
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
                <a href={folderPath(c, row.id)}>{`${row.name}/`}</a>
              )
            ) : (
              <>
                {isPicture(row) && (
                  <img
                    class="thumb"
                    src={`${base(c)}/media/files/${row.id}/picture`}
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
        { head: W.system.size, num: true, cell: ({ kind, row }) => (kind === "folders" ? "" : bytes(row.size)) },
        {
          head: trashed ? W.media.trashed : W.common.created,
          cell: ({ row }) => <Time at={trashed ? row.trashedAt : row.createdAt} />,
        },
        {
          head: W.common.actions,
          cell: ({ kind, row }) => {
            const at = `${base(c)}/media/${kind}/${row.id}`
            return (
              <div class="row">
                {trashed ? (
                  <>
                    <Button action={`${at}/restore`} label={W.media.restore} />
                    <Button action={`${at}/delete`} label={W.media.delete} danger />
                  </>
                ) : (
                  <>
                    <Rename action={`${at}/edit`} id={`${kind}-${row.id}`} name={row.name} />
                    <Button action={`${at}/trash`} label={W.media.to_trash} hidden={{ from: String(from) }} />
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

function Rename({ action, id, name }: { action: string; id: string; name: string }) {
  const { mayWrite } = useView()
  if (!mayWrite) return null
  return (
    <details>
      <summary>{W.media.rename}</summary>
      <Form action={action} submit={W.media.rename}>
        <Field name="name" label={W.keys.name} value={name} required maxlength={120} scope={id} />
      </Form>
    </details>
  )
}

/** What is added here: a file, or a folder. */
const Forms = ({ c, here }: { c: Console; here: { id: number; name: string } | undefined }) => (
  <div class="grid">
    <Card title={W.media.upload} id="upload" writes>
      <Form action={`${base(c)}/media/files`} submit={W.media.upload} upload>
        <input type="hidden" name="folder_id" value={String(here?.id ?? 0)} />
        <Field name="file" label={W.media.file} type="file" required />
      </Form>
    </Card>
    <Card title={W.media.new_folder} id="new" writes>
      <Form action={`${base(c)}/media/folders`} submit={W.media.create_folder}>
        <input type="hidden" name="parent_id" value={String(here?.id ?? 0)} />
        <Field name="name" label={W.keys.name} required maxlength={120} scope="folder" />
      </Form>
    </Card>
  </div>
)
