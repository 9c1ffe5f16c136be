// Page of a closed shop: being set up, suspended, unavailable, or a host without a store.

import { assertNever } from "../../lib/assert-never"
import type { Appearance } from "../appearance"
import { Art } from "../art/art"
import type { ClosedShop } from "../data"
import { ShopDocument } from "../document"
import { safeImage } from "../text/safe-url"
import type { StorefrontStrings } from "../text/strings"

/** Reload interval of the page while the shop is being set up. */
export const REFRESH_SECONDS = 5

export function ClosedPage({
  closed,
  locale,
  strings,
  appearance,
}: {
  closed: ClosedShop
  locale: string
  strings: StorefrontStrings
  appearance: Appearance
}) {
  const name = closed.kind === "unknown_host" ? closed.host : closed.name
  const shopAppearance = closed.kind === "unknown_host" ? null : closed.shopAppearance
  const logo = safeImage(shopAppearance?.logo ?? null)
  const { title, hint } = describeClosed(closed, strings)
  const meta = {
    title,
    description: hint,
    path: null,
    refresh: closed.kind === "preparing" ? REFRESH_SECONDS : undefined,
  }
  return (
    <ShopDocument
      meta={meta}
      site={name}
      locale={locale}
      appearance={appearance}
      icon={shopAppearance?.favicon}
      bodyClass="gate"
    >
      <header class="masthead">
        <div class="shell">
          <span class="brand">
            {logo && <img src={logo} alt="" />}
            {name}
          </span>
        </div>
      </header>
      <main class="notice shell">
        <div class="frame mark">
          <Art name={name} format="tall" />
        </div>
        <h1>{title}</h1>
        <p class="lede">{closed.kind === "suspended" ? <a href="/billing">{hint}</a> : hint}</p>
        {closed.kind === "preparing" && <div class="progress" />}
      </main>
    </ShopDocument>
  )
}

function describeClosed(closed: ClosedShop, strings: StorefrontStrings): { title: string; hint: string } {
  switch (closed.kind) {
    case "preparing":
      return { title: strings.preparing, hint: strings.preparingHint }
    case "suspended":
      return { title: strings.suspended, hint: strings.suspendedHint }
    case "closed":
      return { title: strings.closed, hint: strings.closedHint }
    case "unavailable":
      return { title: strings.unavailable, hint: strings.unavailableHint }
    case "unknown_host":
      return { title: strings.unknownHost, hint: strings.unknownHostHint(closed.host) }
    default:
      return assertNever(closed)
  }
}
