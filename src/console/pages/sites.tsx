// The sites: the central one and every store's. What they have written, who their people are, how their API is set up.
import { type Context, Hono } from "hono"
import type * as z from "zod"
import { listUsers, SearchUsers, USERS_PAGE } from "../../content/accounts/operator-list"
import { SaveCategory } from "../../content/blog/categories/schemas"
import { saveCategory } from "../../content/blog/categories/service"
import { STATUSES } from "../../content/blog/fields"
import { listWritten, readWritten, WRITTEN_PAGE, type Written } from "../../content/blog/operator-list"
import { SavePage } from "../../content/blog/pages/schemas"
import { savePage } from "../../content/blog/pages/service"
import { SavePost } from "../../content/blog/posts/schemas"
import { savePost } from "../../content/blog/posts/service"
import { SaveTag } from "../../content/blog/tags/schemas"
import { saveTag } from "../../content/blog/tags/service"
import { CreateServerToken, settingsResource, UpdateSiteSettings } from "../../content/keys/schemas"
import {
  createServerToken,
  listServerTokens,
  readSiteSettings,
  regenerateApiKey,
  revokeServerToken,
  updateSiteSettings,
} from "../../content/keys/service"
import type { SiteRef } from "../../content/site"
import type { Ctx } from "../../core/context"
import { rowId } from "../../core/http/row-id"
import { LOCALES } from "../../core/i18n/locale"
import { blank, change, done, type FormState, NOTHING, submit } from "../forms"
import { Area, Ask, Button, Check, Field, Filters, Form, Pick, Select } from "../kit/form"
import { Badge, Card, Empty, Facts, Note, Pager, Secret, Table, Time } from "../kit/parts"
import { Paged, PER_PAGE, readQuery, sliceOf } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { base, noSite, siteOf, sitePage } from "./site-page"

const PATH = "/console/sites/:site"

const LANGUAGES = LOCALES.map((value) => ({ value, label: W.languages[value] }))

const KINDS: readonly Written[] = ["posts", "pages", "categories", "tags"]

interface Kind {
  schema: z.ZodObject
  save: (ctx: Ctx, site: SiteRef, input: never) => Promise<{ slug: string }>
}

const WRITERS: Record<Written, Kind> = {
  posts: { schema: SavePost, save: savePost },
  pages: { schema: SavePage, save: savePage },
  categories: { schema: SaveCategory, save: saveCategory },
  tags: { schema: SaveTag, save: saveTag },
}

export const sites = new Hono<ConsoleEnv>().get(PATH, (c) => c.redirect(`${base(c)}/posts`, 303))

for (const kind of KINDS) {
  const { schema, save } = WRITERS[kind]
  sites
    .get(`${PATH}/${kind}`, (c) => list(c, kind))
    .post(`${PATH}/${kind}`, sessionOnly, async (c) => {
      const site = await siteOf(c)
      return submit(
        c,
        schema,
        async (input) => done(`${base(c)}/${kind}/${(await save(c.var.ctx, site, input as never)).slug}`, "saved"),
        (state) => list(c, kind, state),
      )
    })
    .get(`${PATH}/${kind}/:slug`, (c) => edit(c, kind))
    .post(`${PATH}/${kind}/:slug/edit`, sessionOnly, async (c) => {
      const site = await siteOf(c)
      const slug = c.req.param("slug")
      c.set("form", new Map([...c.var.form, ["slug", [slug]]]))
      return change(
        c,
        schema,
        async (input) => {
          await save(c.var.ctx, site, input as never)
          return done(`${base(c)}/${kind}/${slug}`, "saved")
        },
        (state) => edit(c, kind, state),
      )
    })
}

sites
  .get(`${PATH}/users`, async (c) => {
    const site = await siteOf(c)
    const { input } = readQuery(c, SearchUsers)
    const { rows, more } = await listUsers(site, input)
    return sitePage(c, {
      title: W.sites.users,
      children: (
        <>
          <Filters live="users">
            <Ask name="email" />
            <Pick name="kind" label={W.sites.kind} choices={["staff", "customers"]} />
          </Filters>
          <div id="users">
            {rows.length === 0 ? (
              <Empty text={W.sites.no_users} />
            ) : (
              <Table
                label={W.sites.users}
                rows={rows}
                columns={[
                  { head: W.fields.email ?? "", cell: (row) => row.email },
                  { head: W.keys.name, cell: (row) => `${row.firstName} ${row.lastName}`.trim() },
                  { head: W.sites.kind, cell: (row) => (row.isStaff ? W.sites.staff : W.sites.customer) },
                  { head: W.sites.verified, cell: (row) => <Time at={row.emailVerifiedAt} none={W.store.not_yet} /> },
                  { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
                ]}
              />
            )}
            <Pager page={input.page} perPage={USERS_PAGE} more={more} />
          </div>
        </>
      ),
    })
  })
  .get(`${PATH}/tokens`, (c) => tokens(c))
  .post(`${PATH}/tokens`, recentPassword("creates a token of the site"), async (c) => {
    const site = await siteOf(c)
    return submit(
      c,
      CreateServerToken,
      async (input) => {
        const { token, plaintext } = await createServerToken(c.var.ctx, site.id, input)
        return shown(c, token.name, plaintext, `${base(c)}/tokens`)
      },
      (state) => tokens(c, state),
    )
  })
  .post(`${PATH}/tokens/:id/revoke`, recentPassword("cuts off the holder of a token"), async (c) => {
    const site = await siteOf(c)
    return submit(
      c,
      NOTHING,
      async () => {
        await revokeServerToken(c.var.ctx, site.id, rowId(c.req.param("id")))
        return done(`${base(c)}/tokens`, "revoked")
      },
      (state) => tokens(c, state),
    )
  })
  .get(`${PATH}/settings`, (c) => settings(c))
  .post(`${PATH}/settings`, recentPassword("decides who may use the site's API without a key"), async (c) => {
    const site = await siteOf(c)
    return change(
      c,
      UpdateSiteSettings,
      async (input) => {
        await updateSiteSettings(c.var.ctx, site.id, input)
        return done(`${base(c)}/settings`, "saved")
      },
      (state) => settings(c, state),
    )
  })
  .post(`${PATH}/settings/key`, recentPassword("replaces the site's API key"), async (c) => {
    const site = await siteOf(c)
    return submit(
      c,
      NOTHING,
      async () => shown(c, W.sites.api_key, await regenerateApiKey(c.var.ctx, site.id), `${base(c)}/settings`),
      (state) => settings(c, state),
    )
  })

async function list(c: Context<ConsoleEnv>, kind: Written, state?: FormState) {
  const site = await siteOf(c)
  const { input } = readQuery(c, Paged)
  const { rows, more } = await listWritten(site, kind, input.page)
  return sitePage(c, {
    title: W.sites[kind],
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.sites.nothing} />
        ) : (
          <Table
            label={W.sites[kind]}
            rows={rows}
            columns={[
              { head: W.keys.name, cell: (row) => <a href={`${base(c)}/${kind}/${row.slug}`}>{row.name}</a> },
              { head: W.sites.slug, cell: (row) => row.slug },
              ...(rows[0]?.status
                ? [{ head: W.stores.status, cell: (row: (typeof rows)[number]) => <Badge of={row.status ?? ""} /> }]
                : []),
              { head: W.sites.changed, cell: (row) => <Time at={row.updatedAt} /> },
            ]}
          />
        )}
        <Pager page={input.page} perPage={WRITTEN_PAGE} more={more} />
        <Card title={W.sites.new} id="new" writes>
          <Form action={`${base(c)}/${kind}`} submit={W.common.save}>
            <Fields kind={kind} values={{}} isNew />
          </Form>
        </Card>
      </>
    ),
  })
}

async function edit(c: Context<ConsoleEnv>, kind: Written, state?: FormState) {
  const site = await siteOf(c)
  const slug = c.req.param("slug") ?? ""
  const values = await readWritten(site, kind, slug)
  return sitePage(c, {
    title: values.name ?? slug,
    crumbs: [[W.sites[kind], `${base(c)}/${kind}`]],
    state,
    children: (
      <Card>
        <Form action={`${base(c)}/${kind}/${slug}/edit`} submit={W.common.save}>
          <Fields kind={kind} values={values} />
        </Form>
      </Card>
    ),
  })
}

function Fields({ kind, values, isNew }: { kind: Written; values: Record<string, string | null>; isNew?: boolean }) {
  const state = blank(values)
  return (
    <>
      <Field name="name" label={W.sites.name} state={state} required maxlength={250} />
      {isNew && <Field name="slug" state={state} hint={W.sites.slug_hint} maxlength={120} />}
      <Area name="description" state={state} rows={2} />
      {kind === "categories" && <Field name="parent" state={state} hint={W.sites.parent_hint} />}
      {(kind === "posts" || kind === "pages") && (
        <>
          <Area name="content" state={state} rows={12} hint={W.sites.content_hint} />
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
          <Check name="featured" on={values.featured === "true"} />
        </>
      )}
    </>
  )
}

async function tokens(c: Context<ConsoleEnv>, state?: FormState) {
  const site = await siteOf(c)
  const { input } = readQuery(c, Paged)
  const rows = await listServerTokens(c.var.ctx, site.id, sliceOf(input))
  return sitePage(c, {
    title: W.sites.tokens,
    state,
    children: (
      <>
        {rows.length === 0 ? (
          <Empty text={W.sites.no_tokens} />
        ) : (
          <Table
            label={W.sites.tokens}
            rows={rows.slice(0, PER_PAGE)}
            columns={[
              { head: W.keys.name, cell: (row) => row.name },
              { head: W.keys.prefix, cell: (row) => <code>{row.prefix}</code> },
              { head: W.sites.type, cell: (row) => row.type },
              { head: W.keys.last_used, cell: (row) => <Time at={row.lastUsedAt} /> },
              { head: W.common.created, cell: (row) => <Time at={row.createdAt} /> },
              {
                head: W.common.actions,
                cell: (row) => <Button action={`${base(c)}/tokens/${row.id}/revoke`} label={W.keys.revoke} danger />,
              },
            ]}
          />
        )}
        <Pager page={input.page} perPage={PER_PAGE} more={rows.length > PER_PAGE} />
        <Card title={W.sites.new_token} id="new" writes>
          <Form action={`${base(c)}/tokens`} submit={W.sites.new_token}>
            <Field name="name" required maxlength={120} />
            <Select name="type" choices={["standard", "internal"]} />
          </Form>
        </Card>
      </>
    ),
  })
}

async function settings(c: Context<ConsoleEnv>, state?: FormState) {
  const now = settingsResource(await readSiteSettings(c.var.ctx, c.req.param("site") ?? "").catch(noSite))
  return sitePage(c, {
    title: W.sites.settings,
    state,
    children: (
      <div class="grid">
        <Card title={W.sites.settings} id="settings">
          <Form action={`${base(c)}/settings`} submit={W.common.save} instead={<Values of={now} />}>
            <Check name="api" label={W.sites.api_on} on={now.api} />
            <Check name="require-key" label={W.sites.require_key} on={now["require-key"]} />
            <Check name="email-verification" label={W.sites.verify_email} on={now["email-verification"]} />
            <Check name="media-key-writes" label={W.sites.media_key_writes} on={now["media-key-writes"]} />
            <Select name="language" label={W.account.language} value={now.language} choices={LANGUAGES} />
          </Form>
        </Card>
        <Card title={W.sites.api_key} id="key">
          <p>{now.api_key_prefix ? <code>{now.api_key_prefix}</code> : W.sites.no_key}</p>
          <p>{W.sites.key_hint}</p>
          <Form action={`${base(c)}/settings/key`} submit={W.sites.make_key} danger />
        </Card>
      </div>
    ),
  })
}

/** The settings for those who may only look. */
const Values = ({ of }: { of: ReturnType<typeof settingsResource> }) => (
  <Facts
    of={[
      [W.sites.api_on, <Badge of={of.api ? "on" : "off"} />],
      [W.sites.require_key, <Badge of={of["require-key"] ? "on" : "off"} />],
      [W.sites.verify_email, <Badge of={of["email-verification"] ? "on" : "off"} />],
      [W.sites.media_key_writes, <Badge of={of["media-key-writes"] ? "on" : "off"} />],
      [W.account.language, W.languages[of.language]],
    ]}
  />
)

const shown = (c: Context<ConsoleEnv>, name: string, plaintext: string, back: string) =>
  sitePage(c, {
    title: W.keys.shown_title,
    children: (
      <>
        <Note tone="warn">
          <p>{W.keys.shown_body}</p>
        </Note>
        <Card title={name}>
          <Secret id="key" value={plaintext} label={W.sites.key_label} />
        </Card>
        <p>
          <a href={back}>{W.common.back}</a>
        </p>
      </>
    ),
  })
