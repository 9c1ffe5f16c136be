// The start page: the shop's state, the orders of the last 30 days, and what needs attention.

import type { Child } from "hono/jsx"
import { countNewMessages } from "../../apps/contact/service"
import { readShopOverview, type ShopOverview } from "../../apps/ecommerce/overview"
import { roleOf } from "../../content/accounts/staff-sessions"
import type { Shop } from "../../content/shop/settings"
import type { SiteCtx } from "../../content/site"
import { rolesFrom } from "../../content/staff/rules"
import { Sentence } from "../../core/html/moment"
import { isRoutable } from "../../core/http/store-access"
import type { StaffRole } from "../../db/schema/sites/users"
import { publicUrl } from "../../env"
import { money } from "../../lib/intl"
import { LineChart } from "../../page-kit/chart"
import { Card, MetricList, Time } from "../../page-kit/parts"
import { allowsCustomDomains } from "../../platform/domains/rules"
import { readDomains } from "../../platform/domains/service"
import { countUsage } from "../../platform/usage/collect"
import { listNearLimits, type NearLimit, NO_USAGE } from "../../platform/usage/rules"
import { createAdminPages } from "../access"
import { receivesMessages, sellsProducts } from "../apps"
import { page } from "../page"
import { ADMIN, APPEARANCE, DOMAINS, MEDIA, MESSAGES, ORDERS, PRODUCTS, SETTINGS, STAFF } from "../paths"
import { getCtx, getSession } from "../session"
import { useAdminView, useT } from "../view"

// lint: the start page serves every shop, and reads what its apps have
export const home = createAdminPages().get(ADMIN, async (c) => {
  const { ctx, strings, isClosed } = c.var
  const { shop } = getSession(c)
  const apps = ctx.site.store?.apps ?? []
  const [overview, newMessages, { attached, subscription }, nearLimits] = await Promise.all([
    sellsProducts(apps) ? readShopOverview(getCtx(c), shop.currency) : null,
    receivesMessages(apps) ? countNewMessages(getCtx(c)) : 0,
    readDomains(ctx, ctx.site.id),
    findNearLimits(ctx),
  ])
  const checklist = (
    <Checklist
      overview={overview}
      shop={shop}
      role={roleOf(getSession(c))}
      hasDomain={
        allowsCustomDomains(ctx.site.subscription)
          ? attached.some((domain) => !domain.isFallback && isRoutable(domain))
          : null
      }
    />
  )
  // The steps for a new owner come first, above lists that are still empty.
  const hasOrders = overview?.days.some(({ orders }) => orders > 0) ?? false
  return page(c, {
    title: strings.nav.home,
    children: (
      <>
        {!isClosed && (
          <p>
            {strings.home.open} <a href="/">{new URL(publicUrl(ctx.settings, ctx.site.hostname)).host}</a>.
          </p>
        )}
        {subscription?.status === "trialing" && subscription.trialEndsAt && <Trial endsAt={subscription.trialEndsAt} />}
        {!hasOrders && checklist}
        <Attention
          overview={overview}
          newMessages={newMessages}
          unverifiedDomains={attached.filter((domain) => !isRoutable(domain)).length}
          nearLimits={nearLimits}
        />
        {overview && <Sales overview={overview} currency={shop.currency} hasOrders={hasOrders} />}
        {hasOrders && checklist}
      </>
    ),
  })
})

/** Says when the trial ends, with the owner's way to a plan. */
function Trial({ endsAt }: { endsAt: Date }) {
  const { t, session } = useAdminView()
  return (
    <p>
      <Sentence of={t.home.trial}>
        <Time at={endsAt} isExact />
      </Sentence>{" "}
      {session && roleOf(session) === "owner" && <a href="/billing">{t.nav.billing}</a>}
    </p>
  )
}

/** Counts the shop's usage, and finds the limits of its plan that are almost used up. */
async function findNearLimits(ctx: SiteCtx): Promise<NearLimit[]> {
  const { site } = ctx
  const limits = site.subscription?.plan?.limits
  if (!limits) return []
  const usage = await countUsage(ctx, site.database, [site.id])
  return listNearLimits(usage.get(site.id) ?? NO_USAGE, limits)
}

interface SalesProps {
  overview: ShopOverview
  currency: string
  hasOrders: boolean
}

/** The orders and the revenue of the last 30 days. */
function Sales({ overview: { days, latestOnly }, currency, hasOrders }: SalesProps) {
  const { t, language } = useAdminView()
  const format = (cents: number) => money(cents, currency, language)
  const total = (pick: (day: ShopOverview["days"][number]) => number) => days.reduce((sum, day) => sum + pick(day), 0)
  const ordersByDay = new Map(days.map(({ day, orders }) => [day, orders]))
  return (
    <Card title={t.home.revenue}>
      <MetricList
        items={[
          [t.home.revenue, format(total(({ cents }) => cents))],
          [t.home.orders, total(({ orders }) => orders)],
        ]}
      />
      {latestOnly !== null && <p class="sub">{t.home.latest_only(latestOnly)}</p>}
      {!hasOrders ? (
        <p>{t.home.no_orders}</p>
      ) : (
        <LineChart
          label={t.home.revenue}
          name={t.home.revenue_name}
          legend={t.home.revenue_last_day}
          points={days.map(({ day, cents }) => ({ at: day, value: cents }))}
          format={format}
          table={{
            head: t.home.day,
            groupOf: (at) => at,
            pick: "last",
            extra: { head: t.nav.orders, value: (day) => ordersByDay.get(day) ?? 0 },
          }}
        />
      )}
    </Card>
  )
}

interface AttentionProps {
  /** Missing in a shop that sells no products. */
  overview: ShopOverview | null
  newMessages: number
  unverifiedDomains: number
  nearLimits: readonly NearLimit[]
}

/** The pages on which staff see what uses up a limit. */
const LIMIT_PAGES: Record<NearLimit["name"], string> = {
  orders: ORDERS,
  products: PRODUCTS,
  storage_mb: MEDIA,
  staff_users: STAFF,
}

function Attention({ overview, newMessages, unverifiedDomains, nearLimits }: AttentionProps) {
  const { home, messages, domains } = useT()
  const tasks: [count: Child, text: string, href: string][] = [
    ...(overview?.toSend ? [task(overview.toSend, home.to_send, `${ORDERS}?status=paid`)] : []),
    ...(overview?.pending ? [task(overview.pending, home.to_pay, `${ORDERS}?status=pending`)] : []),
    ...(overview?.lowStock ? [task(overview.lowStock, home.low_stock, PRODUCTS)] : []),
    ...(newMessages ? [task(newMessages, messages.unread, `${MESSAGES}?status=new`)] : []),
    ...(unverifiedDomains ? [task(unverifiedDomains, domains.waiting, DOMAINS)] : []),
    ...nearLimits
      .filter(({ name }) => overview || (name !== "orders" && name !== "products"))
      .map(({ name, used, limit }): [Child, string, string] => [
        "!",
        home.limits[name](used, limit),
        LIMIT_PAGES[name],
      ]),
  ]
  return (
    <Card title={home.attention}>
      {tasks.length === 0 ? (
        <p>{home.nothing}</p>
      ) : (
        <ul class="tasks">
          {tasks.map(([count, text, href]) => (
            <li>
              <b>{count}</b> <a href={href}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const task = (count: number, text: (count: number) => string, href: string): [Child, string, string] => [
  count,
  text(count),
  href,
]

/** A step, with the lowest role that can do it. */
type Step = [minimum: StaffRole, label: string, href: string, isDone: boolean]

interface ChecklistProps {
  /** Missing in a shop that sells no products. */
  overview: ShopOverview | null
  shop: Shop
  /** Whether the shop has its own domain; null when its plan does not allow one. */
  hasDomain: boolean | null
  role: StaffRole
}

/** The steps to a shop that can sell which the role can do. Ends when all are done. */
function Checklist({ overview, shop, hasDomain, role }: ChecklistProps) {
  const { home } = useT()
  const { transfer, on_delivery } = shop.payment
  const allSteps: Step[] = [
    ...(overview ? [["editor", home.own_product, `${PRODUCTS}/new`, overview.products > 0] satisfies Step] : []),
    ["admin", home.logo, APPEARANCE, shop.look.logo !== null],
    ...(overview
      ? [["admin", home.payment, `${SETTINGS}#payment`, transfer !== null || on_delivery !== null] satisfies Step]
      : []),
    ["admin", home.address, `${SETTINGS}#address`, shop.address !== null],
    ...(hasDomain === null ? [] : [["owner", home.domain, DOMAINS, hasDomain] satisfies Step]),
  ]
  const steps = allSteps.filter(([minimum]) => rolesFrom(minimum).includes(role))
  if (steps.every(([, , , isDone]) => isDone)) return null
  return (
    <Card title={home.checklist}>
      <ul class="tasks">
        {steps.map(([, label, href, isDone]) => (
          <li>
            <b aria-hidden="true">{isDone ? "✓" : "○"}</b>
            {isDone ? (
              <span class="sub">
                {label} ({home.done})
              </span>
            ) : (
              <a href={href}>{label}</a>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
