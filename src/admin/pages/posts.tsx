// A shop's posts: list, new, edit, preview, revisions and delete.
import type { Context } from "hono"
import { resourceTag } from "../../content/blog/caching"
import { listCategories } from "../../content/blog/categories/service"
import { createPost, deletePost, restorePost, updatePost } from "../../content/blog/posts/save"
import {
  type FullRow,
  type PostWithRelations,
  postResource,
  SavePost,
  UpdatePost,
} from "../../content/blog/posts/schemas"
import { readPost } from "../../content/blog/posts/service"
import { listTags } from "../../content/blog/tags/service"
import { localToUtc, toLocalInput } from "../../lib/time-zone"
import { Checkbox, DateTimeField, Field, Form, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Card } from "../../page-kit/parts"
import { ShownVersion } from "../../page-kit/version-guard"
import { previewContent } from "../../storefront/service"
import { richText } from "../../storefront/text/rich-text"
import { createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { POSTS } from "../paths"
import { getEditorCtx, getReaderCtx, getSession } from "../session"
import type { AdminEnv } from "../types"
import { useT } from "../view"
import { itemPath, renderContentList, Status } from "./content-list"
import {
  ItemActions,
  MAX_CHOICES,
  MAX_TITLE_LENGTH,
  ReferenceField,
  renderDelete,
  SlugField,
  StatusField,
} from "./content-parts"
import { PictureField, RichText } from "./editor"
import { createRevisionPages } from "./revisions"

type C = Context<AdminEnv>

type LoadedPost = PostWithRelations<FullRow>

const AUTHOR: ReadonlySet<"author"> = new Set(["author"] as const)

const load = (c: C): Promise<LoadedPost> => readPost(getReaderCtx(c), c.req.param("id") ?? "", AUTHOR)

export const posts = createAdminPages()
  .get(POSTS, (c) => renderContentList(c, "posts"))
  .get(`${POSTS}/new`, requireRole("editor"), (c) => renderNew(c))
  .get(`${POSTS}/:id`, (c) => c.redirect(itemPath("posts", c.req.param("id")), 303))
  .get(`${POSTS}/:id/edit`, (c) => renderEdit(c))
  .get(`${POSTS}/:id/preview`, async (c) => {
    const { post } = await load(c)
    const { ctx } = c.var
    return previewContent(ctx, ctx.site.hostname, "posts", post.slug, ctx.locale)
  })
  .get(`${POSTS}/:id/delete`, requireRole("editor"), async (c) => renderDelete(c, "posts", (await load(c)).post))
  .post(POSTS, requireRole("editor"), (c) =>
    handleForm(c, {
      schema: SavePost,
      convert: (fields) => convertFields(c, fields, null),
      run: async (input) => {
        const { post } = await createPost(getEditorCtx(c), input)
        return withNotice(itemPath("posts", post.id), "content_created")
      },
      render: (state) => renderNew(c, state),
    }),
  )
  .post(`${POSTS}/:id/edit`, requireRole("editor"), async (c) => {
    const { post: present } = await load(c)
    return handleForm(c, {
      schema: UpdatePost,
      isEdit: true,
      convert: (fields) => convertFields(c, fields, present),
      run: async (input, assertUnchanged) => {
        const { post } = await updatePost(getEditorCtx(c), String(present.id), input, assertUnchanged)
        return withNotice(itemPath("posts", post.id), "content_saved")
      },
      render: (state) => renderEdit(c, state),
    })
  })
  .post(`${POSTS}/:id/delete`, requireRole("editor"), async (c) => {
    await deletePost(getEditorCtx(c), c.req.param("id"))
    return c.redirect(withNotice(POSTS, "content_deleted"), 303)
  })

export const postRevisions = createRevisionPages({
  kind: "posts",
  subject: "post",
  load: async (c) => (await load(c)).post,
  restore: restorePost,
})

/**
 * Converts the dates of a form from the shop's time zone. A date that shows the present one is unchanged, because its
 * field has no seconds.
 * @param present the post; null for a new one
 */
function convertFields(c: C, fields: Record<string, unknown>, present: FullRow | null) {
  const { timezone } = getSession(c).shop
  const { author, ...converted } = fields
  const dates = { published_at: present?.publishedAt, created_at: present?.createdAt }
  for (const [name, date] of Object.entries(dates)) {
    const text = converted[name]
    if (typeof text !== "string") continue
    const isUnchanged = date ? text === toLocalInput(date, timezone) || (text === "" && name === "created_at") : false
    if (isUnchanged) delete converted[name]
    else converted[name] = localToUtc(text, timezone)
  }
  return { fields: { ...converted, ...(author ? { author } : {}) }, errors: {} }
}

/** The categories and tags that can be chosen. */
async function loadChoices(c: C) {
  const ctx = getReaderCtx(c)
  const query = { page: 1, per_page: MAX_CHOICES, sort_by: "name", order: "asc" } as const
  const [categories, tags] = await Promise.all([listCategories(ctx, query), listTags(ctx, query)])
  return { categories: { ...categories, rows: categories.rows.map(({ category }) => category) }, tags }
}

type Choices = Awaited<ReturnType<typeof loadChoices>>

async function renderNew(c: C, state: FormState = emptyForm()) {
  const { content: t, common } = c.var.strings
  const choices = await loadChoices(c)
  return page(c, {
    title: t.new.posts,
    crumbs: [[t.nav.posts, POSTS]],
    state,
    children: (
      <Form action={POSTS} submitLabel={common.create}>
        <PostFields choices={choices} />
      </Form>
    ),
  })
}

async function renderEdit(c: C, state?: FormState) {
  const { content: t, common } = c.var.strings
  const [loaded, choices] = await Promise.all([load(c), loadChoices(c)])
  const { post } = loaded
  const etag = await resourceTag(postResource(loaded))
  return page(c, {
    title: post.name,
    crumbs: [[t.nav.posts, POSTS]],
    state,
    actions: (
      <>
        <Status row={post} />
        <ItemActions kind="posts" item={post} />
      </>
    ),
    children: (
      <Form
        action={itemPath("posts", post.id)}
        submitLabel={common.save}
        readOnly={<Card>{richText(post.content)}</Card>}
      >
        <ShownVersion version={etag} />
        <PostFields loaded={loaded} choices={choices} />
      </Form>
    ),
  })
}

function PostFields({ loaded, choices }: { loaded?: LoadedPost; choices: Choices }) {
  const { content: t } = useT()
  const post = loaded?.post
  return (
    <>
      <Field name="name" label={t.title} required maxlength={MAX_TITLE_LENGTH} value={post?.name} />
      <RichText name="content" label={t.text} value={post?.content} />
      <TextArea name="description" label={t.summary} rows={2} maxlength={400} value={post?.description} />
      <PictureField name="image" label={t.cover} value={post?.image} hint={t.cover_hint} />
      <StatusField value={post?.status ?? "published"} />
      <DateTimeField
        name="published_at"
        label={t.publish_at}
        value={post?.publishedAt ?? null}
        hint={t.publish_at_hint}
      />
      <ReferenceField
        name="categories"
        label={t.nav.categories}
        offered={choices.categories}
        chosen={loaded?.categories ?? []}
      />
      <ReferenceField name="tags" label={t.nav.tags} offered={choices.tags} chosen={loaded?.tags ?? []} />
      <Checkbox name="featured" label={t.featured} isChecked={post?.isFeatured ?? false} />
      <SlugField list={POSTS} value={post?.slug} />
      <fieldset class="field">
        <legend>{t.more}</legend>
        <Field
          name="author"
          label={t.author}
          type="email"
          hint={loaded?.author ? t.author_of(loaded.author.name) : t.author_hint}
        />
        <DateTimeField name="created_at" label={t.created_at} value={post?.createdAt ?? null} />
      </fieldset>
    </>
  )
}
