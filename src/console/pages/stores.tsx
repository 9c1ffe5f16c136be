// Lists and exports stores, changes several at once, and creates new ones.
import type { Context } from "hono"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { nullIfNotFound, Refusal } from "../../core/http/refusal"
import { accessState, STORE_STATUSES } from "../../core/http/store-access"
import { betweenFields, violates } from "../../core/http/validation"
import { dryRun } from "../../core/write/commit"
import type { EveryField, Omitted } from "../../lib/every-field"
import { BulkForm, RowCheckbox } from "../../page-kit/bulk"
import { type CsvCell, createCsvResponse } from "../../page-kit/csv"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { Field, Form, renderFields, Select } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, type BadgeStatus, Card, EmptyState, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { useView } from "../../page-kit/view"
import { listPlans } from "../../platform/plans/service"
import { createStore } from "../../platform/stores/create"
import { withOwnerMail } from "../../platform/stores/owner-mail"
import { resumeStore } from "../../platform/stores/resume"
import { CreateStore, type StoreDetails, type StoreResource, storeResource } from "../../platform/stores/schemas"
import {
  ACCESS_STATES,
  SearchStores,
  STORE_BILLING_PROVIDERS,
  STORE_SORTS,
  STORES_PAGE_SIZE,
  searchStores,
  streamStores,
} from "../../platform/stores/search"
import { readStore, suspendStore } from "../../platform/stores/service"
import { isInOrder } from "../../platform/subscriptions/rules"
import { extendSubscription } from "../../platform/subscriptions/service"
import { themes } from "../../themes/catalog"
import type { Confirmed, Preview } from "../confirmation/confirmed"
import { harmless, mayPost, requireFormRole } from "../form-access"
import { explainMissingSelection, getRefusalMessage, handleForm, isConsoleRefusal } from "../forms"
import { Filters } from "../kit/filters"
import { IncompleteResults } from "../kit/incomplete"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { STORES } from "../paths"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { getSession } from "../session"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { describeState, getPaidUntil } from "./store/changes"

const MAX_BULK_STORES = 100

const BULK = `${STORES}/bulk`

/** Leads to the preview for the stores that match a filter. */
const MATCHING = `${BULK}/matching`

const BulkInput = z
  .object({
    stores: z.array(z.string().max(63)).min(1).max(MAX_BULK_STORES),
    action: z.enum(["suspend", "resume", "extend"]),
    days: z.int().min(1).max(3650).optional(),
  })
  .refine(({ action, days }) => action !== "extend" || days !== undefined, {
    path: ["days"],
    ...violates("required"),
    ...betweenFields,
  })

export const stores = createPages()
  .get(STORES, (c) => renderStores(c))
  .post(STORES, harmless("support"), (c) =>
    handleForm(
      c,
      CreateStore,
      async (input) => withNotice(`${STORES}/${(await createStore(c.var.ctx, input)).id}`, "store_created"),
      (state) => renderNewStore(c, state),
    ),
  )
  .get(`${STORES}.csv`, (c) => {
    const { ctx } = c.var
    const { input } = parseQuery(c, SearchStores)
    async function* rows() {
      for await (const chunk of streamStores(ctx, input)) yield chunk.map((facts) => storeResource(ctx.settings, facts))
    }
    return createCsvResponse<Resource>(CSV_COLUMNS, rows(), "stores")
  })
  .get(`${STORES}/new`, (c) => renderNewStore(c))
  .get(MATCHING, requireFormRole(["support", "finance"]), async (c) => {
    const { action, days, filter } = c.req.query()
    const { rows } = await searchStores(c.var.ctx, { ...parseFilter(filter ?? ""), page: 1 }, MAX_BULK_STORES)
    const query = new URLSearchParams({ action: action ?? "", ...(days && { days }) })
    for (const { store } of rows) query.append("stores", store.id)
    return c.redirect(`${BULK}?${query}`, 303)
  })
  .confirmed(BULK, {
    roles: ["support", "finance"],
    password: "change several stores at once",
    schema: BulkInput,
    // lint: every action is a dry run
    preview: previewBulk,
    run: runBulk,
    renderForm: (c, state) => renderStores(c, explainMissingSelection(state, "stores")),
  })

/** Parses the query of the list as the list does. */
const parseFilter = (text: string) => pickQuery(SearchStores, Object.fromEntries(new URLSearchParams(text))).input

type Resource = z.input<typeof StoreResource>

const CSV_COLUMNS = {
  id: (store) => store.id,
  name: (store) => store.name,
  status: (store) => store.status,
  access_state: (store) => store.access_state,
  plan: ({ subscription }) => subscription?.plan?.slug,
  subscription_status: ({ subscription }) => subscription?.status,
  billing_provider: (store) => store.billing_provider,
  theme: (store) => store.theme,
  owner_email: (store) => store.owner_email,
  root_url: (store) => store.root_url,
  created_at: (store) => store.created_at,
  preset: { omitted: "a variant of the theme" },
  provisioned_at: { omitted: "differs from created_at by seconds" },
  updated_at: { omitted: "changes with every edit, so exports would never be equal" },
  usage: { omitted: "shown as a separate list" },
  subscription: { omitted: "has the columns plan and subscription_status" },
} satisfies EveryField<Resource, CsvCell<Resource>> & Record<string, CsvCell<Resource> | Omitted>

async function renderStores(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = parseQuery(c, SearchStores)
  const [{ rows, more, scanned }, plans] = await Promise.all([
    searchStores(ctx, input),
    listPlans(ctx, { includeInactive: true }),
  ])
  return page(c, {
    title: W.stores.title,
    state,
    actions: <PageActions />,
    children: (
      <>
        <Filters live="stores" action={STORES}>
          <TextFilter name="q" type="search" />
          <SelectFilter name="status" choices={[...STORE_STATUSES]} />
          <SelectFilter name="access_state" label={W.stores.access} choices={[...ACCESS_STATES]} />
          <SelectFilter name="plan" choices={plans.map(({ slug, name }) => ({ value: slug, label: name }))} />
          <SelectFilter name="theme" choices={themes.map(({ slug, name }) => ({ value: slug, label: name }))} />
          <SelectFilter
            name="billing"
            choices={STORE_BILLING_PROVIDERS.map((value) => ({ value, label: W.subscriptions.providers[value] }))}
          />
          <SelectFilter
            name="sort"
            anyLabel={W.stores.sorts["-created_at"]}
            choices={STORE_SORTS.slice(1).map((value) => ({ value, label: W.stores.sorts[value] }))}
          />
        </Filters>
        <div id="stores">
          {rows.length === 0 ? (
            <EmptyState text={W.stores.empty}>
              <a href={`${STORES}/new`}>{W.stores.new}</a>
            </EmptyState>
          ) : (
            <>
              <StoreActions />
              <StoreTable rows={rows} />
            </>
          )}
          <Pager page={input.page} pageSize={STORES_PAGE_SIZE} hasMore={more} />
          <IncompleteResults scanned={scanned} />
        </div>
      </>
    ),
  })
}

function PageActions() {
  const { query, canPost } = useView()
  const filter = query.toString()
  return (
    <>
      <a class="button" data-quiet href={`${STORES}.csv${filter && `?${filter}`}`}>
        {W.common.export_csv}
      </a>
      {canPost(STORES) && (
        <a class="button" href={`${STORES}/new`}>
          {W.stores.new}
        </a>
      )}
    </>
  )
}

/** The actions for the selected stores, and for all that match the filter. */
function StoreActions() {
  const { query } = useView()
  return (
    <BulkForm action={BULK} method="get">
      <label>
        {W.stores.with_selected}{" "}
        <select name="action">
          <option value="suspend">{W.stores.actions.suspend}</option>
          <option value="resume">{W.stores.actions.resume}</option>
          <option value="extend">{W.stores.actions.extend}</option>
        </select>
      </label>
      <label>
        {W.stores.days} <input name="days" type="number" min="1" max="3650" />
      </label>
      <input type="hidden" name="filter" value={query.toString()} />
      <button type="submit" data-quiet>
        {W.stores.preview}
      </button>
      <button type="submit" data-quiet formaction={MATCHING}>
        {W.stores.preview_matching(MAX_BULK_STORES)}
      </button>
    </BulkForm>
  )
}

function StoreTable({ rows }: { rows: StoreDetails[] }) {
  return (
    <Table
      label={W.stores.title}
      rows={rows}
      hasColumnChoice
      columns={[
        {
          head: W.stores.store,
          sort: { ascending: "name", descending: "-name" },
          cell: ({ store }) => (
            <>
              <RowCheckbox action={BULK} name="stores" value={store.id} label={W.stores.select(store.id)} />{" "}
              <a href={`${STORES}/${store.id}`}>{store.name}</a> <span class="sub">{store.id}</span>
            </>
          ),
        },
        { head: W.stores.status, cell: ({ store }) => <Badge status={store.status} /> },
        { head: W.stores.access, cell: ({ store }) => <Badge status={accessState(store.status)} /> },
        {
          head: W.stores.plan,
          cell: ({ subscription }) =>
            subscription ? (
              <>
                {subscription.plan?.name} <Badge status={subscription.status} />
              </>
            ) : (
              <span class="sub">{W.common.none}</span>
            ),
        },
        { head: W.stores.owner, cell: ({ store }) => store.ownerEmail },
        { head: W.stores.theme, cell: ({ store }) => store.theme },
        {
          head: W.common.created,
          sort: { ascending: "created_at", descending: "" },
          cell: ({ store }) => <Time at={store.createdAt} />,
        },
      ]}
    />
  )
}

type BulkAction = z.output<typeof BulkInput>

/** The result of a bulk action on a store, or its preview. */
interface BulkOutcome {
  ok: boolean
  outcome: string
  /** The store's own form, where the action asks for a decision. */
  form?: string
}

/** A store of a bulk action, with its badges before. */
interface BulkRow extends BulkOutcome {
  id: string
  before: BadgeProps[]
}

interface BadgeProps {
  status: BadgeStatus
  text?: string
}

/** The role that each bulk action needs. */
const BULK_ROLES = { suspend: "support", resume: "support", extend: "finance" } as const

/** Shows what a bulk action would do to each store. */
async function previewBulk(c: Context<ConsoleEnv>, input: BulkAction): Promise<Preview> {
  if (!mayPost(getSession(c).operator.role, [BULK_ROLES[input.action]])) throw new Refusal("forbidden")
  const { ctx } = c.var
  const rows = []
  // lint: each store is changed separately; a form takes at most 100
  for (const id of new Set(input.stores)) {
    const facts = await findStore(ctx, id)
    rows.push({
      ...{ id, facts, before: getCurrentStatus(facts, input.action) },
      ...(await applyBulkAction((run) => dryRun(ctx, run), facts, input)),
    })
  }
  return {
    title: W.stores.preview_title(rows.length),
    crumbs: [[W.stores.title, STORES]],
    back: STORES,
    state: rows.map(({ id, facts, ok }) => [id, facts && describeState(facts), ok]),
    changes: rows.map(({ id, before, ok, outcome, form }) => ({
      label: <a href={`${STORES}/${id}`}>{id}</a>,
      before: <Badges of={before} />,
      after: (
        <Outcome
          ok={ok}
          outcome={ok ? W.stores.planned(input.action, input.days) : outcome}
          form={form}
          isHarmful={input.action === "suspend"}
        />
      ),
    })),
    effects: W.stores.bulk_effects[input.action],
    submitLabel: W.stores.submit(input.action, rows.filter(({ ok }) => ok).length),
    isHarmful: input.action === "suspend",
    ownerMail: "own",
  }
}

/** Applies a bulk action and reports the result of each store. */
async function runBulk(c: Context<ConsoleEnv>, input: BulkAction, confirmed: Confirmed): Promise<Response> {
  const { ctx } = c.var
  const results: BulkRow[] = []
  // lint: each store is changed in its own transaction; a form takes at most 100
  for (const id of new Set(input.stores)) {
    const facts = await findStore(ctx, id)
    const before = getCurrentStatus(facts, input.action)
    results.push({ id, before, ...(await applyBulkAction((run) => run(ctx), facts, input, confirmed)) })
  }
  return renderResult(c, results)
}

const findStore = (ctx: Ctx, id: string): Promise<StoreDetails | null> => readStore(ctx, id).catch(nullIfNotFound)

/** Returns the statuses that the action depends on. */
function getCurrentStatus(facts: StoreDetails | null, action: BulkAction["action"]): BadgeProps[] {
  if (!facts) return [{ status: "off", text: W.errors.not_found }]
  const { store, subscription } = facts
  const billing: BadgeProps = subscription
    ? { status: subscription.status, text: W.stores.subscription(subscription.status) }
    : { status: "off", text: W.stores.no_plan }
  return { suspend: [{ status: store.status }], resume: [{ status: store.status }, billing], extend: [billing] }[action]
}

async function applyBulkAction(
  run: (apply: (ctx: Ctx) => Promise<unknown>) => Promise<unknown>,
  facts: StoreDetails | null,
  input: BulkAction,
  confirmed: Confirmed = { reason: null, notifyOwner: false },
): Promise<BulkOutcome> {
  if (!facts) return { ok: false, outcome: W.errors.not_found }
  const { store, subscription } = facts
  try {
    if (input.action === "resume" && subscription && !isInOrder(subscription)) {
      // The fate of the subscription is decided per store.
      await run((ctx) => dryRun(ctx, (dry) => resumeStore(dry, store.id)))
      return { ok: false, outcome: W.stores.undecided, form: `${STORES}/${store.id}/resume` }
    }
    await run((ctx) => changeStore(ctx, facts, input, confirmed))
    return { ok: true, outcome: W.stores.changed }
  } catch (thrown) {
    if (!isConsoleRefusal(thrown)) throw thrown
    return { ok: false, outcome: thrown.code === "not_found" ? W.errors.not_found : getRefusalMessage(thrown) }
  }
}

/** Applies a bulk action to a store, with a mail to its owner if confirmed. */
async function changeStore(
  ctx: Ctx,
  facts: StoreDetails,
  { action, days = 0 }: BulkAction,
  { reason, notifyOwner }: Confirmed,
): Promise<unknown> {
  const { id } = facts.store
  if (action === "suspend") return suspendStore(ctx, id, { reason, notify: notifyOwner })
  if (action === "resume") {
    const mail = { kind: "resumed_by_operator", store: facts } as const
    return resumeStore(notifyOwner ? withOwnerMail(ctx, mail, reason) : ctx, id)
  }
  if (!notifyOwner) return extendSubscription(ctx, id, { days })
  const { subscription } = await dryRun(ctx, (dry) => extendSubscription(dry, id, { days }))
  const mail = { kind: "operator_extended", store: facts, facts: { until: getPaidUntil(subscription) } } as const
  return extendSubscription(withOwnerMail(ctx, mail, reason), id, { days })
}

const Badges = ({ of: badges }: { of: BadgeProps[] }) => (
  <>
    {badges.map((badge) => (
      <>
        <Badge {...badge} />{" "}
      </>
    ))}
  </>
)

/** @param isHarmful whether it is the preview of an action that takes something from the store */
const Outcome = ({ ok, outcome, form, isHarmful }: BulkOutcome & { isHarmful?: boolean }) => (
  <>
    <span class="badge" data-tone={!ok ? "bad" : isHarmful ? "warn" : "good"}>
      {outcome}
    </span>
    {form && (
      <>
        {" "}
        <a href={form}>{W.stores.decide}</a>
      </>
    )}
  </>
)

const BulkTable = ({ rows, head }: { rows: BulkRow[]; head: string }) => (
  <Table
    label={W.stores.title}
    rows={rows}
    columns={[
      { head: W.stores.store, cell: ({ id }) => <a href={`${STORES}/${id}`}>{id}</a> },
      { head: W.stores.before, cell: ({ before }) => <Badges of={before} /> },
      { head, cell: ({ ok, outcome, form }) => <Outcome ok={ok} outcome={outcome} form={form} /> },
    ]}
  />
)

const renderResult = (c: Context<ConsoleEnv>, rows: BulkRow[]) =>
  page(c, {
    title: W.stores.result_title(rows.filter(({ ok }) => ok).length, rows.length),
    crumbs: [[W.stores.title, STORES]],
    children: <BulkTable rows={rows} head={W.stores.outcome} />,
  })

async function renderNewStore(c: Context<ConsoleEnv>, state?: FormState) {
  const plans = await listPlans(c.var.ctx, { includeInactive: false })
  const published = themes.filter((theme) => theme.published)
  return page(c, {
    title: W.stores.new,
    crumbs: [[W.stores.title, STORES]],
    state,
    children: (
      <Card>
        <Form action={STORES} submitLabel={W.stores.create}>
          {renderFields<z.input<typeof CreateStore>>({
            name: (name) => <Field name={name} required maxlength={120} />,
            subdomain: (name) => (
              <Field
                name={name}
                required
                maxlength={63}
                hint={W.stores.subdomain_hint(c.var.ctx.settings.CENTRAL_DOMAIN)}
              />
            ),
            owner_email: (name) => <Field name={name} type="email" required />,
            password: (name) => (
              <Field
                name={name}
                label={W.stores.password}
                type="password"
                required
                autocomplete="new-password"
                hint={W.stores.password_hint}
              />
            ),
            plan: (name) => (
              <Select
                name={name}
                empty={W.stores.no_plan}
                choices={plans.map(({ slug, name }) => ({ value: slug, label: name }))}
              />
            ),
            trial_days: (name) => <Field name={name} type="number" min={0} max={365} hint={W.stores.trial_hint} />,
            theme: (name) => (
              <Select
                name={name}
                empty={W.stores.default_theme}
                choices={published.map(({ slug, name }) => ({ value: slug, label: name }))}
              />
            ),
            preset: (name) => (
              <Select
                name={name}
                empty={W.stores.default_preset}
                choices={published.flatMap((theme) =>
                  theme.presets.map((preset) => ({ value: preset.slug, label: `${theme.name}: ${preset.name}` })),
                )}
              />
            ),
          })}
        </Form>
      </Card>
    ),
  })
}
