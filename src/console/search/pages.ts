// Finds pages and actions of the console by their name.
import { NAVIGATION } from "../navigation"
import { STORES } from "../paths"
import { W } from "../strings"

/** Actions, with the form that they lead to. */
const ACTIONS: [label: string, href: string, form: string][] = [
  [W.stores.new, `${STORES}/new`, STORES],
  [W.webhooks.new, "/console/webhooks#new", "/console/webhooks"],
  [W.keys.new, "/console/keys#new", "/console/keys"],
  [W.plans.new, "/console/plans#new", "/console/plans"],
  [W.coupons.new, "/console/coupons#new", "/console/coupons"],
  [W.products.new, "/console/products#new", "/console/products"],
  [W.licenses.new, "/console/licenses#new", "/console/licenses"],
  [W.operators.new, "/console/operators#new", "/console/operators"],
  [W.account.change_password, "/console/account", "/console/account/password"],
  [W.account.totp_set_up, "/console/account", "/console/account/totp"],
  [W.system.run_clock, "/console/system", "/console/system/billing"],
]

const MAX_PAGES = 10

/**
 * Finds the pages and actions whose name contains a text.
 * @param canPost whether the operator may send a form; other actions are left out
 */
export function findPages(q: string, canPost: (action: string) => boolean): [label: string, href: string][] {
  const text = q.trim().toLowerCase()
  if (!text) return []
  const pages = NAVIGATION.flatMap(({ links }) => links)
  const actions = ACTIONS.filter(([, , form]) => canPost(form)).map(([label, href]): [string, string] => [label, href])
  return [...pages, ...actions].filter(([label]) => label.toLowerCase().includes(text)).slice(0, MAX_PAGES)
}
