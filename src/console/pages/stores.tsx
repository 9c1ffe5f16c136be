// Stores: found, several changed at once, made.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { accessState, STORE_STATUSES } from "../../core/http/store-access"
import { listPlans } from "../../platform/plans/service"
import { createStore } from "../../platform/stores/create"
import { CreateStore, listedStore, type StoreFacts } from "../../platform/stores/schemas"
import {
  ACCESS_STATES,
  BILLINGS,
  SearchStores,
  STORE_SORTS,
  STORES_PAGE,
  searchStores,
  walkStores,
} from "../../platform/stores/search"
import { readStore, resumeStore, suspendStore } from "../../platform/stores/service"
import { extendSubscription } from "../../platform/subscriptions/service"
import { themes } from "../../themes/catalog"
import { csv } from "../csv"
import { done, type FormState, submit, wordsOf } from "../forms"
import { Ask, Field, Filters, Form, Pick, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, LookedAmong, Pager, Table, Time } from "../kit/parts"
import { useView } from "../kit/view"
import { STORES } from "../paths"
import { readQuery } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

export const stores = new Hono<ConsoleEnv>()
  .get(STORES, (c) => list(c))
  .post(STORES, sessionOnly, (c) =>
    submit(
      c,
      CreateStore,
      async (input) => done(`${STORES}/${(await createStore(c.var.ctx, input)).store.id}`, "store_created"),
      (state) => newPage(c, state),
    ),
  )
  .get(`${STORES}.csv`, (c) => {
    const { ctx } = c.var
    const { input } = readQuery(c, SearchStores)
    async function* rows() {
      for await (const piece of walkStores(ctx, input)) yield piece.map((facts) => csvRow(ctx.settings, facts))
    }
    return csv(CSV_HEAD, rows(), "stores")
  })
  .get(`${STORES}/new`, (c) => newPage(c))
  .post(`${STORES}/bulk`, recentPassword("can take many stores offline at once"), (c) =>
    submit(
      c,
      Bulk,
      async (input) => bulk(c, input),
      (state) => list(c, state),
    ),
  )

const CSV_HEAD = [
  "id",
  "name",
  "status",
  "access_state",
  "plan",
  "subscription_status",
  "billing_provider",
  "theme",
  "owner_email",
  "root_url",
  "created_at",
]

function csvRow(settings: Parameters<typeof listedStore>[0], facts: StoreFacts): unknown[] {
  const store = listedStore(settings, facts, false)
  const { subscription } = facts
  return [
    store.id,
    store.name,
    store.status,
    store.access_state,
    subscription?.plan?.slug,
    subscription?.status,
    store.billing_provider,
    store.theme,
    store.owner_email,
    store.root_url,
    store.created_at,
  ]
}

/** How many stores are changed at once at most. */
const MOST = 100

const Bulk = z.object({
  stores: z.array(z.string().max(63)).min(1).max(MOST),
  action: z.enum(["suspend", "resume", "extend"]),
  days: z.int().min(1).max(3650).optional(),
  confirmed: z.boolean().optional(),
})

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = readQuery(c, SearchStores)
  const [{ rows, more, looked }, plans] = await Promise.all([
    searchStores(ctx, input),
    listPlans(ctx, { includeInactive: true }),
  ])
  return page(c, {
    title: W.stores.title,
    state,
    acts: <Acts />,
    children: (
      <>
        <Filters live="stores" action={STORES}>
          <Ask name="q" type="search" />
          <Pick name="status" choices={[...STORE_STATUSES]} />
          <Pick name="access_state" label={W.stores.access} choices={[...ACCESS_STATES]} />
          <Pick name="plan" choices={plans.map(({ slug, name }) => ({ value: slug, label: name }))} />
          <Pick name="theme" choices={themes.map(({ slug, name }) => ({ value: slug, label: name }))} />
          <Pick name="billing" choices={[...BILLINGS]} />
          <Pick
            name="sort"
            any={W.stores.sorts["-created_at"]}
            choices={STORE_SORTS.slice(1).map((value) => ({ value, label: W.stores.sorts[value] }))}
          />
        </Filters>
        <div id="stores">
          {rows.length === 0 ? (
            <Empty text={W.stores.empty}>
              <a href={`${STORES}/new`}>{W.stores.new}</a>
            </Empty>
          ) : (
            <Chosen>
              <Rows rows={rows} />
            </Chosen>
          )}
          <Pager page={input.page} perPage={STORES_PAGE} more={more} />
          <LookedAmong most={looked} />
        </div>
      </>
    ),
  })
}

function Acts() {
  const { query, mayWrite } = useView()
  const filter = query.toString()
  return (
    <>
      <a class="button" data-quiet href={`${STORES}.csv${filter && `?${filter}`}`}>
        {W.common.csv}
      </a>
      {mayWrite && (
        <a class="button" href={`${STORES}/new`}>
          {W.stores.new}
        </a>
      )}
    </>
  )
}

/** The list with its boxes, and what to do with the stores that are ticked. */
function Chosen({ children }: { children: unknown }) {
  const { mayWrite, now } = useView()
  if (!mayWrite) return <>{children}</>
  return (
    <form method="post" action={`${STORES}/bulk`}>
      <input type="hidden" name="shown_at" value={String(now.getTime())} />
      {children}
      <div class="filters">
        <label>
          {W.stores.with_chosen}
          <select name="action">
            <option value="suspend">{W.stores.suspend}</option>
            <option value="resume">{W.stores.resume}</option>
            <option value="extend">{W.stores.extend}</option>
          </select>
        </label>
        <label>
          {W.stores.days}
          <input name="days" type="number" min="1" max="3650" />
        </label>
        <button type="submit" data-quiet>
          {W.stores.preview}
        </button>
      </div>
    </form>
  )
}

function Rows({ rows }: { rows: StoreFacts[] }) {
  const { mayWrite } = useView()
  return (
    <Table
      label={W.stores.title}
      rows={rows}
      columns={[
        {
          head: W.stores.store,
          cell: ({ store }) => (
            <>
              {mayWrite && (
                <input type="checkbox" name="stores" value={store.id} aria-label={W.stores.choose(store.id)} />
              )}{" "}
              <a href={`${STORES}/${store.id}`}>{store.name}</a> <span class="sub">{store.id}</span>
            </>
          ),
        },
        { head: W.stores.status, cell: ({ store }) => <Badge of={store.status} /> },
        { head: W.stores.access, cell: ({ store }) => <Badge of={accessState(store.status)} /> },
        {
          head: W.stores.plan,
          cell: ({ subscription }) =>
            subscription ? (
              <>
                {subscription.plan?.name} <Badge of={subscription.status} />
              </>
            ) : (
              <span class="sub">{W.common.none}</span>
            ),
        },
        { head: W.stores.owner, cell: ({ store }) => store.ownerEmail },
        { head: W.stores.theme, cell: ({ store }) => store.theme },
        { head: W.common.created, cell: ({ store }) => <Time at={store.createdAt} /> },
      ]}
    />
  )
}

type BulkInput = z.output<typeof Bulk>

/** Shows what would be done to each store, or does it and says how each went. */
async function bulk(c: Context<ConsoleEnv>, input: BulkInput): Promise<Response> {
  const { ctx } = c.var
  if (input.action === "extend" && input.days === undefined) {
    throw new Refusal("validation_failed", { fields: { days: [{ rule: "required" }] } })
  }
  const ids = [...new Set(input.stores)]
  const results: { id: string; before: string; outcome: string; ok: boolean }[] = []
  for (const id of ids) {
    const facts = await readStore(ctx, id).catch(() => null)
    const before = facts ? standing(facts, input.action) : W.errors.not_found
    if (!input.confirmed) {
      results.push({ id, before, outcome: facts ? W.stores.will(input.action, input.days) : "", ok: facts !== null })
      continue
    }
    results.push({ id, before, ...(await carryOut(c, id, input)) })
  }
  return input.confirmed ? resultPage(c, results) : previewPage(c, input, results)
}

const standing = ({ store, subscription }: StoreFacts, action: BulkInput["action"]): string =>
  action === "extend" ? (subscription?.status ?? W.common.none) : store.status

async function carryOut(c: Context<ConsoleEnv>, id: string, { action, days = 0 }: BulkInput) {
  const { ctx } = c.var
  try {
    if (action === "suspend") await suspendStore(ctx, id)
    else if (action === "resume") await resumeStore(ctx, id)
    else await extendSubscription(ctx, id, { days })
    return { outcome: W.stores.done_to, ok: true }
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return { outcome: thrown.code === "not_found" ? W.errors.not_found : wordsOf(thrown), ok: false }
  }
}

const Results = ({ rows }: { rows: { id: string; before: string; outcome: string; ok: boolean }[] }) => (
  <Table
    label={W.stores.title}
    rows={rows}
    columns={[
      { head: W.stores.store, cell: ({ id }) => <a href={`${STORES}/${id}`}>{id}</a> },
      { head: W.stores.before, cell: ({ before }) => <Badge of={before} /> },
      {
        head: W.stores.outcome,
        cell: ({ ok, outcome }) => (
          <span class="badge" data-tone={ok ? "good" : "bad"}>
            {outcome}
          </span>
        ),
      },
    ]}
  />
)

const previewPage = (c: Context<ConsoleEnv>, input: BulkInput, rows: Parameters<typeof Results>[0]["rows"]) =>
  page(c, {
    title: W.stores.preview_title(rows.length),
    crumbs: [[W.stores.title, STORES]],
    children: (
      <>
        <Results rows={rows} />
        <Form action={`${STORES}/bulk`} submit={W.stores.do_it} danger={input.action === "suspend"}>
          <input type="hidden" name="action" value={input.action} />
          {input.days !== undefined && <input type="hidden" name="days" value={String(input.days)} />}
          {rows.map(({ id }) => (
            <input type="hidden" name="stores" value={id} />
          ))}
          <input type="hidden" name="confirmed" value="true" />
        </Form>
      </>
    ),
  })

const resultPage = (c: Context<ConsoleEnv>, rows: Parameters<typeof Results>[0]["rows"]) =>
  page(c, {
    title: W.stores.result_title(rows.filter(({ ok }) => ok).length, rows.length),
    crumbs: [[W.stores.title, STORES]],
    children: <Results rows={rows} />,
  })

async function newPage(c: Context<ConsoleEnv>, state?: FormState) {
  const plans = await listPlans(c.var.ctx, { includeInactive: false })
  const published = themes.filter((theme) => theme.published)
  return page(c, {
    title: W.stores.new,
    crumbs: [[W.stores.title, STORES]],
    state,
    children: (
      <Card>
        <Form action={STORES} submit={W.stores.create}>
          <Field name="name" required maxlength={120} />
          <Field
            name="subdomain"
            required
            maxlength={63}
            hint={W.stores.subdomain_hint(c.var.ctx.settings.CENTRAL_DOMAIN)}
          />
          <Field name="owner_email" type="email" required />
          <Field
            name="password"
            label={W.stores.password}
            type="password"
            required
            autocomplete="new-password"
            hint={W.stores.password_hint}
          />
          <Select
            name="plan"
            empty={W.stores.no_plan}
            choices={plans.map(({ slug, name }) => ({ value: slug, label: name }))}
          />
          <Field name="trial_days" type="number" min={0} max={365} hint={W.stores.trial_hint} />
          <Select
            name="theme"
            empty={W.stores.default_theme}
            choices={published.map(({ slug, name }) => ({ value: slug, label: name }))}
          />
          <Select
            name="preset"
            empty={W.stores.default_preset}
            choices={published.flatMap((theme) =>
              theme.presets.map((preset) => ({ value: preset.slug, label: `${theme.name}: ${preset.name}` })),
            )}
          />
        </Form>
      </Card>
    ),
  })
}
