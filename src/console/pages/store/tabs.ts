// The tabs of a store's page, each with its own URL.
import { STORES } from "../../paths"
import { W } from "../../strings"

export const STORE_TABS = ["billing", "domains", "apps", "shop", "content", "activity"] as const

export type StoreTab = "overview" | (typeof STORE_TABS)[number]

/** The tab with the forms of each path below a store's. */
const TAB_OF_SEGMENT: Record<string, StoreTab> = {
  ...Object.fromEntries(STORE_TABS.map((tab) => [tab, tab])),
  subscription: "billing",
  cancel: "billing",
  theme: "content",
}

const TAB_SEGMENT = new RegExp(`^${STORES}/[^/]+/([^/]+)`)

/** The tab of a store's page, or of one of its actions. */
export const findStoreTab = (path: string): StoreTab => TAB_OF_SEGMENT[TAB_SEGMENT.exec(path)?.[1] ?? ""] ?? "overview"

/** The path of a tab. */
export const getTabPath = (store: string, tab: StoreTab): string =>
  tab === "overview" ? `${STORES}/${store}` : `${STORES}/${store}/${tab}`

/** The labels and paths of a store's tabs. */
export const listStoreTabs = (store: string): [label: string, href: string][] =>
  (["overview", ...STORE_TABS] as const).map((tab) => [W.store.tabs[tab], getTabPath(store, tab)])
