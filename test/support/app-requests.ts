// Requests to every app, which the tests of all routes send. Each app has them in test/apps/<slug>/requests.ts.
import { availableApps } from "../../src/apps/registry"
import type { PrepareWrite } from "./prepared-writes"

export interface Item {
  id: number
  slug?: string
}

/** Creates an item with a request to its path. */
type CreateItem = (path: string, json: object) => Promise<Item>

/** Marks of the created items, by which tests recognize them. */
interface Texts {
  /** A string in all content of the store. */
  secret: string
  /** A string in the customer's own data. */
  personal: string
}

export interface AppRequests {
  /**
   * Creates one item below each path of the app.
   * @param items the items of the apps that it requires, by their path
   * @returns the items by path
   */
  createItems(users: { staff: CreateItem; customer: CreateItem }, texts: Texts, items: Items): Promise<Items>
  /** Paths of all reads, by operation id. */
  reads(items: Items): Record<string, string>
  /** Every write, by operation id. */
  writes: Record<string, PrepareWrite>
  /** Valid bodies of updates, by path. */
  updates: Record<string, object>
  /** Paths of paginated lists for staff, with all rows. */
  lists(items: Items): string[]
  /** Queries that only staff may send, by the operation id of lists that customers may read without them. */
  staffQueries?: Record<string, string>
  /** Updates and deletions that customers may apply to their own items, by operation id. */
  ownWrites?: string[]
}

/** One item for each path of the apps. */
export type Items = Record<string, Item>

const modules = import.meta.glob<{ requests: AppRequests }>("../apps/*/requests.ts", { eager: true })

/** In the order of the registry, so that required apps come first. */
export const APP_REQUESTS: readonly AppRequests[] = availableApps.map(({ slug }) => {
  const found = modules[`../apps/${slug}/requests.ts`]
  if (!found) throw new Error(`test/apps/${slug}/requests.ts is missing`)
  return found.requests
})

/** Creates one item below each path of every app. */
export async function createAppItems(...[users, texts]: [Parameters<AppRequests["createItems"]>[0], Texts]) {
  const items: Items = {}
  for (const app of APP_REQUESTS) Object.assign(items, await app.createItems(users, texts, items))
  return items
}

/** Returns an item that was created. */
export function itemOf(items: Items, path: string): Item {
  const item = items[path]
  if (!item) throw new Error(`No item of ${path} was created`)
  return item
}
