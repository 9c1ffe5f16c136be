// The central site and the stores' sites: content, users, API tokens and settings.
import type { Context } from "hono"
import type * as z from "zod"
import { saveCategory } from "../../content/blog/categories/save"
import { SaveCategory } from "../../content/blog/categories/schemas"
import { STATUSES } from "../../content/blog/fields"
import { CONTENT_PAGE_SIZE, type ContentKind, listContent, readContentFields } from "../../content/blog/operator-list"
import { savePage } from "../../content/blog/pages/save"
import { SavePage } from "../../content/blog/pages/schemas"
import { savePost } from "../../content/blog/posts/save"
import { SavePost } from "../../content/blog/posts/schemas"
import { saveTag } from "../../content/blog/tags/save"
import { SaveTag } from "../../content/blog/tags/schemas"
import { CreateServerToken, settingsResource, settingsTag, UpdateSiteSettings } from "../../content/keys/schemas"
import {
  createServerToken,
  listServerTokens,
  readServerToken,
  readSiteSettings,
  regenerateApiKey,
  revokeServerToken,
  updateSiteSettings,
} from "../../content/keys/service"
import type { SiteRef } from "../../content/site"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { rowId } from "../../core/http/row-id"
import { LOCALES } from "../../core/i18n/locale"
import { getFallbackHost, publicUrl } from "../../env"
import { slugify } from "../../lib/slug"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Checkbox, Field, Form, Select, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState } from "../../page-kit/form-state"
import { Badge, Card, DescriptionList, EmptyState, labelOf, Note, Pager, SecretValue, Time } from "../../page-kit/parts"
import { PAGE_SIZE, PageQuery, toSlice } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { ShownVersion } from "../../page-kit/version-guard"
import { useView } from "../../page-kit/view"
import { harmless, recentPassword } from "../form-access"
import { pathParam } from "../form-handler"
import { handleEditForm, handleForm, NoFields } from "../forms"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { REVOCATION } from "./keys"
import { getSite, getSitePath, sitePage, throwNotFound } from "./site-page"

const PATH = "/console/sites/:site"

const LANGUAGES = LOCALES.map((value) => ({ value, label: W.languages[value] }))

const NOTIFICATION_FORMATS = Object.entries(W.sites.notification_formats).map(([value, label]) => ({ value, label }))

const KINDS: readonly ContentKind[] = ["posts", "pages", "categories", "tags"]

/** Handles a form with content: saves it and redirects to its page. */
type ContentHandler = (
  c: Context<ConsoleEnv>,
  kind: ContentKind,
  handle: typeof handleForm,
  render: (state: FormState) => Promise<Response>,
) => Promise<Response>

const contentHandler =
  <Schema extends z.ZodObject>(
    schema: Schema,
    save: (
      ctx: Ctx,
      site: SiteRef,
      input: Input<Schema>,
      options: { isNew: boolean },
    ) => Promise<{ slug: string; isNew: boolean }>,
  ): ContentHandler =>
  async (c, kind, handle, render) => {
    const site = await getSite(c)
    const saveAndRedirect = async (input: Input<Schema>) => {
      const { slug, isNew } = await save(c.var.ctx, site, input, { isNew: handle === handleForm })
      return withNotice(`${getSitePath(c)}/${kind}/${slug}`, isNew ? "created" : "saved")
    }
    return handle(c, schema, saveAndRedirect, render)
  }

const HANDLERS: Record<ContentKind, ContentHandler> = {
  posts: contentHandler(SavePost, savePost),
  pages: contentHandler(SavePage, savePage),
  categories: contentHandler(SaveCategory, saveCategory),
  tags: contentHandler(SaveTag, saveTag),
}

export const sites = createPages().get(PATH, (c) => c.redirect(`${getSitePath(c)}/posts`, 303))

for (const kind of KINDS) {
  const save = HANDLERS[kind]
  sites
    .get(`${PATH}/${kind}`, (c) => renderContentList(c, kind))
    .post(`${PATH}/${kind}`, harmless("support"), (c) =>
      save(c, kind, handleForm, (state) => renderContentList(c, kind, state)),
    )
    .get(`${PATH}/${kind}/:slug`, (c) => renderContent(c, kind))
    .post(`${PATH}/${kind}/:slug/edit`, harmless("support"), (c) => {
      c.set("form", new Map([...c.var.form, ["slug", [c.req.param("slug")]]]))
      return save(c, kind, handleEditForm, (state) => renderContent(c, kind, state))
    })
}

sites
  .get(`${PATH}/tokens`, (c) => renderTokens(c))
  .post(`${PATH}/tokens`, recentPassword("admin", "create an API token of the site"), async (c) => {
    const site = await getSite(c)
    return handleForm(
      c,
      CreateServerToken,
      async (input) => {
        const { token, plaintext } = await createServerToken(c.var.ctx, site.id, input)
        return renderSecret(c, W.sites.token_created, token.name, plaintext, `${getSitePath(c)}/tokens`)
      },
      (state) => renderTokens(c, state),
    )
  })
  .confirmed(`${PATH}/tokens/:id/revoke`, {
    roles: ["admin"],
    password: "revoke an API token of the site",
    schema: NoFields,
    async preview(c) {
      const site = await getSite(c)
      const token = await readServerToken(c.var.ctx, site.id, rowId(pathParam(c, "id")))
      return {
        title: W.keys.revoke_title(token.name),
        back: `${getSitePath(c)}/tokens`,
        state: [site.id, token.id],
        changes: [{ label: <code>{token.prefix}</code>, ...REVOCATION }],
        effects: [W.keys.revoke_confirm],
        submitLabel: W.keys.revoke,
      }
    },
    async run(c) {
      const site = await getSite(c)
      await revokeServerToken(c.var.ctx, site.id, rowId(pathParam(c, "id")))
      return withNotice(`${getSitePath(c)}/tokens`, "revoked")
    },
    renderForm: renderTokens,
  })
  .get(`${PATH}/settings`, (c) => renderSettings(c))
  .post(`${PATH}/settings`, recentPassword("admin", "change the site's API settings"), async (c) => {
    const site = await getSite(c)
    return handleEditForm(
      c,
      UpdateSiteSettings,
      async (input, assertUnchanged) => {
        await updateSiteSettings(c.var.ctx, site.id, input, {
          assertUnchanged: (current) => assertUnchanged(settingsTag(current)),
        })
        return withNotice(`${getSitePath(c)}/settings`, "saved")
      },
      (state) => renderSettings(c, state),
    )
  })
  .confirmed(`${PATH}/settings/key`, {
    roles: ["admin"],
    password: "replace the site's API key",
    schema: NoFields,
    async preview(c) {
      const site = await getSite(c)
      const { apiKeyPrefix } = await readSiteSettings(c.var.ctx, site.id)
      return {
        title: W.sites.key_title(site.id),
        back: `${getSitePath(c)}/settings`,
        state: [site.id, apiKeyPrefix],
        effects: [apiKeyPrefix ? W.sites.key_effect : W.sites.no_key],
        submitLabel: W.sites.generate_key,
        isHarmful: apiKeyPrefix !== null,
      }
    },
    async run(c) {
      const site = await getSite(c)
      const key = await regenerateApiKey(c.var.ctx, site.id)
      return renderSecret(c, W.sites.key_generated, W.sites.api_key, key, `${getSitePath(c)}/settings`)
    },
    renderForm: renderSettings,
  })

async function renderContentList(c: Context<ConsoleEnv>, kind: ContentKind, state?: FormState) {
  const site = await getSite(c)
  const { input } = parseQuery(c, PageQuery)
  const { rows, hasMore } = await listContent({ ...site, now: c.var.ctx.now }, kind, { page: input.page })
  return sitePage(c, {
    title: W.sites[kind],
    state,
    children: (
      <>
        <Disclosure label={W.sites.new[kind]} id="new" action={`${getSitePath(c)}/${kind}`}>
          <Form action={`${getSitePath(c)}/${kind}`} submitLabel={W.sites.save[kind]}>
            <ContentFields kind={kind} values={{}} isNew />
          </Form>
        </Disclosure>
        {rows.length === 0 ? (
          <EmptyState text={W.sites.empty[kind]} />
        ) : (
          <Table
            label={W.sites[kind]}
            rows={rows}
            columns={[
              { head: W.sites.name, cell: (row) => <a href={`${getSitePath(c)}/${kind}/${row.slug}`}>{row.name}</a> },
              { head: W.sites.slug, cell: (row) => row.slug },
              ...(rows[0]?.status
                ? [
                    {
                      head: W.stores.status,
                      cell: (row: (typeof rows)[number]) => row.status && <Badge status={row.status} />,
                    },
                  ]
                : []),
              { head: W.sites.updated, cell: (row) => <Time at={row.updatedAt} /> },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={CONTENT_PAGE_SIZE} hasMore={hasMore} />
      </>
    ),
  })
}

/** Renders the page of a post, page, category or tag with its edit form. */
export async function renderContent(c: Context<ConsoleEnv>, kind: ContentKind, state?: FormState) {
  const site = await getSite(c)
  const slug = c.req.param("slug") ?? ""
  const values = await readContentFields(site, kind, slug)
  return sitePage(c, {
    title: values.name ?? slug,
    crumbs: [[W.sites[kind], `${getSitePath(c)}/${kind}`]],
    state,
    actions: (
      <ContentActions
        kind={kind}
        path={`${getSitePath(c)}/${kind}/${slug}`}
        isStore={site.store !== null}
        live={values.status === "published" && site.store ? getLiveUrl(c, site.id, kind, slug) : null}
      />
    ),
    children: (
      <Card>
        <Form action={`${getSitePath(c)}/${kind}/${slug}/edit`} submitLabel={W.common.save}>
          <ContentFields kind={kind} values={values} />
        </Form>
      </Card>
    ),
  })
}

const PUBLIC_PATHS: { [Kind in ContentKind]?: string } = { posts: "blog", pages: "pages" }

/** The address at which visitors read a post or a page; null for categories and tags. */
function getLiveUrl(c: Context<ConsoleEnv>, store: string, kind: ContentKind, slug: string): string | null {
  const { settings } = c.var.ctx
  const segment = PUBLIC_PATHS[kind]
  return segment ? `${publicUrl(settings, getFallbackHost(settings, store))}/${segment}/${slug}` : null
}

interface ContentActionsProps {
  kind: ContentKind
  path: string
  isStore: boolean
  /** The public address; null for drafts, and for what has none. */
  live: string | null
}

/** Links to the public page and the preview of a post or page, and to the confirmation of its deletion. */
const ContentActions = ({ kind, path, isStore, live }: ContentActionsProps) => (
  <>
    {live && (
      <a class="button" data-quiet href={live} target="_blank" rel="noopener noreferrer">
        {W.sites.view}
      </a>
    )}
    {isStore && (kind === "posts" || kind === "pages") && (
      <a class="button" data-quiet href={`${path}/preview`} target="_blank" rel="noopener">
        {W.sites.preview}
      </a>
    )}
    <ActionButton action={`${path}/delete`} label={W.sites.delete[kind]} danger />
  </>
)

function ContentFields({
  kind,
  values,
  isNew,
}: {
  kind: ContentKind
  values: Record<string, string | null>
  isNew?: boolean
}) {
  const { path } = useView()
  const state = emptyForm(values)
  return (
    <>
      <Field name="name" label={W.sites.name} state={state} required maxlength={250} />
      {isNew && (
        <Field
          name="slug"
          state={state}
          hint={W.sites.slug_hint}
          maxlength={120}
          existing={(typed) => `${path}/${typed.get("slug")?.at(-1) || slugify(typed.get("name")?.at(-1) ?? "")}`}
        />
      )}
      <TextArea name="description" state={state} rows={2} />
      {kind === "categories" && <Field name="parent" state={state} hint={W.sites.parent_hint} />}
      {(kind === "posts" || kind === "pages") && (
        <>
          <TextArea name="content" state={state} rows={12} hint={W.sites.content_hint} />
          <Field name="image" state={state} hint={W.sites.image_hint} />
          <Select name="status" state={state} choices={[...STATUSES]} />
        </>
      )}
      {kind === "pages" && <Field name="template" value={values.template ?? "default"} />}
      {kind === "posts" && (
        <>
          <Field name="categories" state={state} hint={W.sites.slugs_hint} />
          <Field name="tags" state={state} hint={W.sites.slugs_hint} />
          <Field name="author" type="email" state={state} hint={W.sites.author_hint} />
          <Checkbox name="featured" isChecked={values.featured === "true"} />
        </>
      )}
    </>
  )
}

async function renderTokens(c: Context<ConsoleEnv>, state?: FormState) {
  const site = await getSite(c)
  const { input } = parseQuery(c, PageQuery)
  const rows = await listServerTokens(c.var.ctx, site.id, toSlice(input))
  return sitePage(c, {
    title: W.sites.tokens,
    state,
    children: (
      <>
        <Disclosure label={W.sites.new_token} id="new" action={`${getSitePath(c)}/tokens`}>
          <Form action={`${getSitePath(c)}/tokens`} submitLabel={W.sites.create_token}>
            <Field name="name" required maxlength={120} />
            <Select name="type" choices={["standard", "internal"]} />
            <Select
              name="scopes"
              label={W.sites.scopes}
              choices={Object.entries(W.sites.token_scopes).map(([value, label]) => ({ value, label }))}
            />
          </Form>
        </Disclosure>
        {rows.length === 0 ? (
          <EmptyState text={W.sites.no_tokens} />
        ) : (
          <Table
            label={W.sites.tokens}
            rows={rows.slice(0, PAGE_SIZE)}
            columns={[
              { head: W.keys.name, cell: (row) => row.name },
              { head: W.keys.prefix, cell: (row) => <code>{row.prefix}</code> },
              { head: W.sites.type, cell: (row) => labelOf(row.type) },
              {
                head: W.sites.scopes,
                cell: (row) => W.sites.token_scopes[row.scopes?.includes("write") ? "read,write" : "read"],
              },
              { head: W.keys.last_used, cell: (row) => <Time at={row.lastUsedAt} /> },
              { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
              {
                head: W.common.actions,
                hasActions: true,
                cell: (row) => (
                  <ActionButton
                    action={`${getSitePath(c)}/tokens/${row.id}/revoke`}
                    label={W.keys.revoke}
                    about={row.name}
                    danger
                  />
                ),
              },
            ]}
          />
        )}
        <Pager page={input.page} pageSize={PAGE_SIZE} hasMore={rows.length > PAGE_SIZE} />
      </>
    ),
  })
}

async function renderSettings(c: Context<ConsoleEnv>, state?: FormState) {
  const row = await readSiteSettings(c.var.ctx, c.req.param("site") ?? "").catch(throwNotFound)
  const current = settingsResource(row)
  return sitePage(c, {
    title: W.sites.settings,
    state,
    children: (
      <div class="grid">
        <Card title={W.sites.settings} id="settings">
          <Form
            action={`${getSitePath(c)}/settings`}
            submitLabel={W.common.save}
            readOnly={<SettingsList settings={current} />}
          >
            <ShownVersion version={settingsTag(row)} />
            <Checkbox name="api" label={W.sites.api_on} isChecked={current.api} />
            <Checkbox name="require-key" label={W.sites.require_key} isChecked={current["require-key"]} />
            <Checkbox
              name="email-verification"
              label={W.sites.verify_email}
              isChecked={current["email-verification"]}
            />
            <Checkbox
              name="media-key-writes"
              label={W.sites.media_key_writes}
              isChecked={current["media-key-writes"]}
            />
            <Field
              name="cors-origins"
              label={W.sites.cors_origins}
              hint={W.sites.cors_hint}
              value={current["cors-origins"].join(", ")}
            />
            <Select name="language" label={W.account.language} value={current.language} choices={LANGUAGES} />
            <Select
              name="notification-format"
              label={W.sites.notification_format}
              hint={W.sites.notification_format_hint}
              value={current["notification-format"]}
              choices={NOTIFICATION_FORMATS}
            />
          </Form>
        </Card>
        <Card title={W.sites.api_key} id="key">
          <p>{current.api_key_prefix ? <code>{current.api_key_prefix}</code> : W.sites.no_key}</p>
          <p>{W.sites.key_hint}</p>
          <Form action={`${getSitePath(c)}/settings/key`} submitLabel={W.sites.generate_key} danger />
        </Card>
      </div>
    ),
  })
}

/** The settings, read-only for viewers. */
const SettingsList = ({ settings }: { settings: ReturnType<typeof settingsResource> }) => (
  <DescriptionList
    items={[
      [W.sites.api_on, <Badge status={settings.api ? "on" : "off"} />],
      [W.sites.require_key, <Badge status={settings["require-key"] ? "on" : "off"} />],
      [W.sites.verify_email, <Badge status={settings["email-verification"] ? "on" : "off"} />],
      [W.sites.media_key_writes, <Badge status={settings["media-key-writes"] ? "on" : "off"} />],
      [W.sites.cors_origins, settings["cors-origins"].join(", ")],
      [W.account.language, W.languages[settings.language]],
      [W.sites.notification_format, W.sites.notification_formats[settings["notification-format"]]],
    ]}
  />
)

const renderSecret = (c: Context<ConsoleEnv>, title: string, name: string, plaintext: string, back: string) =>
  sitePage(c, {
    title,
    children: (
      <>
        <Note tone="warn">
          <p>{W.keys.created_body}</p>
        </Note>
        <Card title={name}>
          <SecretValue id="key" value={plaintext} label={name} />
        </Card>
        <p>
          <a href={back}>{W.common.back}</a>
        </p>
      </>
    ),
  })
