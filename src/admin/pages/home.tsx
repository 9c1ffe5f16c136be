// The start page: the shop's state, the orders of the last 30 days, and what needs attention.

import type { Child } from "hono/jsx"
import { countNewMessages } from "../../apps/contact/service"
import { readShopOverview, type ShopOverview } from "../../apps/ecommerce/overview"
import type { Shop } from "../../content/shop/settings"
import { isRoutable } from "../../core/http/store-access"
import { money } from "../../lib/intl"
import { LineChart } from "../../page-kit/chart"
import { Card, MetricList } from "../../page-kit/parts"
import { allowsCustomDomains } from "../../platform/domains/rules"
import { readDomains } from "../../platform/domains/service"
import { createAdminPages } from "../access"
import { receivesMessages, sellsProducts } from "../apps"
import { page } from "../page"
import { ADMIN, DOMAINS, LOOK, MESSAGES, ORDERS, PRODUCTS, SETTINGS } from "../paths"
import { getCtx, getSession } from "../session"
import { useAdminView, useT } from "../view"

export const home = createAdminPages().get(ADMIN, async (c) => {
  const { ctx, strings, isClosed } = c.var
  const { shop } = getSession(c)
  const apps = ctx.site.store?.apps ?? []
  const [overview, newMessages, { attached }] = await Promise.all([
    sellsProducts(apps) ? readShopOverview(getCtx(c), shop.currency) : null,
    receivesMessages(apps) ? countNewMessages(getCtx(c)) : 0,
    readDomains(ctx, ctx.site.id),
  ])
  return page(c, {
    title: strings.nav.home,
    children: (
      <>
        {!isClosed && (
          <p>
            {strings.home.open} <a href="/">{ctx.site.hostname}</a>.
          </p>
        )}
        {overview && (
          <Overview
            overview={overview}
            newMessages={newMessages}
            unverifiedDomains={attached.filter((domain) => !isRoutable(domain)).length}
            hasDomain={
              allowsCustomDomains(ctx.site.subscription)
                ? attached.some((domain) => !domain.isFallback && isRoutable(domain))
                : null
            }
            shop={shop}
            limit={ctx.site.subscription?.plan?.limits.products ?? 0}
          />
        )}
      </>
    ),
  })
})

interface OverviewProps extends AttentionProps {
  shop: Shop
  /** Whether the shop has a domain of its own; null when its plan does not allow one. */
  hasDomain: boolean | null
}

function Overview({ shop, hasDomain, ...attention }: OverviewProps) {
  const { overview } = attention
  const { t, language } = useAdminView()
  const format = (cents: number) => money(cents, shop.currency, language)
  const total = (pick: (day: ShopOverview["days"][number]) => number) =>
    overview.days.reduce((sum, day) => sum + pick(day), 0)
  const checklist = <Checklist overview={overview} shop={shop} hasDomain={hasDomain} />
  // What a new owner needs comes first, above what is still empty.
  const hasOrders = overview.days.some(({ orders }) => orders > 0)
  return (
    <>
      {!hasOrders && checklist}
      <Attention {...attention} />
      <Card title={t.home.revenue}>
        <MetricList
          items={[
            [t.home.revenue, format(total(({ cents }) => cents))],
            [t.home.orders, total(({ orders }) => orders)],
          ]}
        />
        {overview.latestOnly !== null && <p class="sub">{t.home.latest_only(overview.latestOnly)}</p>}
        {!hasOrders ? (
          <p>{t.home.no_orders}</p>
        ) : (
          <LineChart
            label={t.home.revenue}
            name={t.home.revenue_name}
            points={overview.days.map(({ day, cents }) => ({ at: day, value: cents }))}
            format={format}
            table={{ head: t.home.day, groupOf: (at) => at, pick: "last" }}
          />
        )}
      </Card>
      {hasOrders && checklist}
    </>
  )
}

interface AttentionProps {
  overview: ShopOverview
  newMessages: number
  unverifiedDomains: number
  /** The products that the plan allows; 0 for no limit. */
  limit: number
}

function Attention({ overview, newMessages, unverifiedDomains, limit }: AttentionProps) {
  const { home, messages, domains } = useT()
  const isNearLimit = limit > 0 && overview.products * 5 > limit * 4
  const tasks: [count: Child, text: string, href: string][] = [
    ...(overview.toSend ? [task(overview.toSend, home.to_send, `${ORDERS}?status=paid`)] : []),
    ...(overview.pending ? [task(overview.pending, home.to_pay, `${ORDERS}?status=pending`)] : []),
    ...(overview.lowStock ? [task(overview.lowStock, home.low_stock, PRODUCTS)] : []),
    ...(newMessages ? [task(newMessages, messages.unread, `${MESSAGES}?status=new`)] : []),
    ...(unverifiedDomains ? [task(unverifiedDomains, domains.waiting, DOMAINS)] : []),
    ...(isNearLimit ? [["!", home.limit(overview.products, limit), PRODUCTS] as [Child, string, string]] : []),
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

/** The steps to a shop that can sell. Ends when all are done. */
function Checklist({ overview, shop, hasDomain }: Pick<OverviewProps, "overview" | "shop" | "hasDomain">) {
  const { home } = useT()
  const steps: [label: string, href: string, isDone: boolean][] = [
    [home.own_product, `${PRODUCTS}/new`, overview.hasOwnProduct],
    [home.logo, LOOK, shop.look.logo !== null],
    [home.payment, SETTINGS, shop.payment.transfer !== null || shop.payment.on_delivery !== null],
    [home.address, SETTINGS, shop.address !== null],
    ...(hasDomain === null ? [] : ([[home.domain, DOMAINS, hasDomain]] satisfies [string, string, boolean][])),
  ]
  if (steps.every(([, , isDone]) => isDone)) return null
  return (
    <Card title={home.checklist}>
      <ul class="tasks">
        {steps.map(([label, href, isDone]) => (
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
