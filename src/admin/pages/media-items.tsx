// One file or folder of a shop's media library: edit, move to the trash, restore and delete.
import type { Context } from "hono"
import { UpdateFile } from "../../content/media/files/schemas"
import { deleteFiles, readFile, restoreFile, trashFile, updateFile } from "../../content/media/files/service"
import { UpdateFolder } from "../../content/media/folders/schemas"
import { deleteFolders, restoreFolder, trashFolder, updateFolder } from "../../content/media/folders/service"
import { listMedia } from "../../content/media/operator-list"
import { hasPreview } from "../../content/media/preview"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { ActionButton, Field, Form, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, DescriptionList, formatBytes, Time } from "../../page-kit/parts"
import { createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { MEDIA } from "../paths"
import { getCtx } from "../session"
import type { AdminEnv } from "../types"
import { filePath, folderPath, mediaPath, TRASH } from "./media"

type C = Context<AdminEnv>

const getId = (c: C): number => rowId(c.req.param("id") ?? "")

const assertDeleted = (isFound: boolean) => {
  if (!isFound) throw new Refusal("not_found")
}

export const mediaItems = createAdminPages()
  .get(`${MEDIA}/files/:id`, (c) => c.redirect(mediaPath("files", getId(c)), 303))
  .get(`${MEDIA}/files/:id/edit`, (c) => renderFile(c))
  .get(`${MEDIA}/files/:id/delete`, requireRole("editor"), (c) => renderDelete(c, "files"))
  .get(`${MEDIA}/folders/:id/delete`, requireRole("editor"), (c) => renderDelete(c, "folders"))
  .post(`${MEDIA}/files/:id/edit`, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: UpdateFile,
      isEdit: true,
      run: async (input) => {
        await updateFile(getCtx(c), getId(c), input)
        return withNotice(mediaPath("files", getId(c)), "content_saved")
      },
      render: (state) => renderFile(c, state),
    }),
  )
  .post(`${MEDIA}/folders/:id/edit`, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: UpdateFolder,
      isEdit: true,
      run: async (input) => {
        await updateFolder(getCtx(c), getId(c), input)
        return withNotice(folderPath(getId(c)), "content_saved")
      },
      render: (state) => renderFolderError(c, state),
    }),
  )
  .post(`${MEDIA}/files/:id/trash`, requireRole("editor"), async (c) => {
    const { folderId } = await readFile(getCtx(c), getId(c))
    await trashFile(getCtx(c), getId(c))
    return c.redirect(withNotice(folderPath(folderId), "media_trashed"), 303)
  })
  .post(`${MEDIA}/folders/:id/trash`, requireRole("editor"), async (c) => {
    await trashFolder(getCtx(c), getId(c))
    return c.redirect(withNotice(MEDIA, "media_trashed"), 303)
  })
  .post(`${MEDIA}/files/:id/restore`, requireRole("editor"), async (c) => {
    const { folderId } = await restoreFile(getCtx(c), getId(c))
    return c.redirect(withNotice(folderPath(folderId), "media_restored"), 303)
  })
  .post(`${MEDIA}/folders/:id/restore`, requireRole("editor"), async (c) => {
    const { parentId } = await restoreFolder(getCtx(c), getId(c))
    return c.redirect(withNotice(folderPath(parentId), "media_restored"), 303)
  })
  .post(`${MEDIA}/files/:id/delete`, requireRole("editor"), async (c) => {
    assertDeleted(await deleteFiles(getCtx(c), [getId(c)]))
    return c.redirect(withNotice(TRASH, "content_deleted"), 303)
  })
  .post(`${MEDIA}/folders/:id/delete`, requireRole("editor"), async (c) => {
    assertDeleted(await deleteFolders(getCtx(c), [getId(c)]))
    return c.redirect(withNotice(TRASH, "content_deleted"), 303)
  })

/** Asks before something is deleted for good. */
function renderDelete(c: C, kind: "files" | "folders") {
  const { content: t, common } = c.var.strings
  const id = getId(c)
  return page(c, {
    title: t.media.delete_title(`${kind === "files" ? t.media.file : t.media.folder} ${id}`),
    crumbs: [
      [t.nav.media, MEDIA],
      [t.media.trash, TRASH],
    ],
    children: (
      <>
        <p>{kind === "files" ? t.media.delete_file : t.media.delete_folder}</p>
        <ActionButton action={mediaPath(kind, id, "delete")} label={t.media.delete} danger />
        <p>
          <a href={TRASH}>{common.cancel}</a>
        </p>
      </>
    ),
  })
}

/** A folder whose name was refused: the form alone, with what was typed. */
function renderFolderError(c: C, state: FormState) {
  const { content: t } = c.var.strings
  const id = getId(c)
  return page(c, {
    title: t.media.rename,
    crumbs: [
      [t.nav.media, MEDIA],
      [t.media.folder, folderPath(id)],
    ],
    state,
    children: (
      <Form action={mediaPath("folders", id)} submitLabel={t.media.rename}>
        <Field name="name" required maxlength={120} />
      </Form>
    ),
  })
}

async function renderFile(c: C, state?: FormState) {
  const { content: t, common } = c.var.strings
  const ctx = getCtx(c)
  const file = await readFile(ctx, getId(c))
  const isTrashed = file.trashedAt !== null
  // A file moves to a folder next to it: the one that contains its folder, or one in its folder.
  const { path, folders } = await listMedia(ctx.site, {
    folder_id: isTrashed ? 0 : file.folderId,
    trashed: false,
    page: 1,
  })
  const choices = [{ id: 0, name: t.media.top }, ...path, ...folders].map(({ id, name }) => ({
    value: String(id),
    label: name,
  }))
  const url = filePath(c, file.path)
  return page(c, {
    title: file.name,
    crumbs: [
      [t.nav.media, MEDIA],
      ...path.map(({ id, name }): [string, string] => [name, folderPath(id)]),
      ...(isTrashed ? [[t.media.trash, TRASH] as [string, string]] : []),
    ],
    state,
    actions: isTrashed ? (
      <ActionButton action={mediaPath("files", file.id, "restore")} label={t.media.restore} />
    ) : (
      <>
        <a class="button" data-quiet href={url}>
          {t.media.file}
        </a>
        <ActionButton action={mediaPath("files", file.id, "trash")} label={t.media.to_trash} danger />
      </>
    ),
    children: (
      <>
        <Card>
          {hasPreview(file) && !isTrashed && <img class="preview" src={url} alt={file.alt ?? ""} />}
          <DescriptionList
            items={[
              [t.media.path, <code>{url}</code>],
              [t.media.type, file.mimeType],
              [t.media.size, formatBytes(file.size, c.var.ctx.locale)],
              [t.media.uploaded_at, <Time at={file.createdAt} />],
            ]}
          />
        </Card>
        {!isTrashed && (
          <Form action={mediaPath("files", file.id)} submitLabel={common.save}>
            <Field name="name" required maxlength={255} value={file.name} />
            <Field name="alt" label={t.media.alt} maxlength={300} value={file.alt} hint={t.media.alt_hint} />
            <Select name="folder_id" label={t.media.folder} value={String(file.folderId)} choices={choices} />
          </Form>
        )}
      </>
    ),
  })
}
