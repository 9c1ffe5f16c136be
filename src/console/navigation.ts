// The console's menu.
import { INVOICES } from "./paths"
import { W } from "./strings"

interface Group {
  group: string
  links: [label: string, href: string][]
}

export const NAVIGATION: Group[] = [
  {
    group: W.nav.platform,
    links: [
      [W.overview.title, "/console"],
      [W.stores.title, "/console/stores"],
      [W.store.domains, "/console/domains"],
      [W.sites.central, "/console/sites/central"],
    ],
  },
  {
    group: W.nav.billing,
    links: [
      [W.plans.title, "/console/plans"],
      [W.subscriptions.title, "/console/subscriptions"],
      [W.orders.title, "/console/orders"],
      [W.payments.title, "/console/payments"],
      [W.invoices.title, INVOICES],
      [W.tax.title, "/console/tax"],
      [W.coupons.title, "/console/coupons"],
    ],
  },
  {
    group: W.nav.webhooks,
    links: [
      [W.webhooks.title, "/console/webhooks"],
      [W.deliveries.title, "/console/deliveries"],
      [W.events.title, "/console/events"],
    ],
  },
  {
    group: W.nav.licenses,
    links: [
      [W.products.title, "/console/products"],
      [W.licenses.title, "/console/licenses"],
      [W.activations.title, "/console/activations"],
      [W.licenseKeys.title, "/console/license-keys"],
      [W.licenseSettings.title, "/console/license-settings"],
    ],
  },
  {
    group: W.nav.administration,
    links: [
      [W.keys.title, "/console/keys"],
      [W.operators.title, "/console/operators"],
      [W.audit.title, "/console/audit"],
      [W.system.title, "/console/system"],
      [W.incidents.title, "/console/incidents"],
      [W.account.title, "/console/account"],
    ],
  },
]
