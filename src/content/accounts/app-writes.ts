// Collects the writes of apps for the transaction that changes a customer's account, and their data about a customer.
// Disabled apps keep their data, so they are included.
import type { AccountWrites, ConfirmedAccount } from "../../apps/definition"
import { availableApps } from "../../apps/registry"
import type { Write } from "../../db/write"
import type { ContentSite } from "../site"

/** Imports what each app writes. Later apps come first: their rows are found by those of the apps that they require. */
const loadApps = async (): Promise<AccountWrites[]> =>
  (await Promise.all(availableApps.flatMap(({ accounts }) => accounts?.() ?? []))).reverse()

/** Builds the writes that give a confirmed account what was recorded for its address. */
export const buildAttachWrites = async (siteId: string, account: ConfirmedAccount): Promise<Write[]> =>
  (await loadApps()).flatMap(({ attach }) => attach?.(siteId, account) ?? [])

/** Builds the writes that delete a customer's data in the apps. */
export const buildAppErasureWrites = async (siteId: string, userId: number): Promise<Write[]> =>
  (await loadApps()).flatMap(({ erase }) => erase(siteId, userId))

/** Reads a customer's data in the apps. */
export const readAppData = async (
  site: Pick<ContentSite, "id" | "db">,
  userId: number,
): Promise<Record<string, unknown[]>> =>
  Object.assign({}, ...(await Promise.all((await loadApps()).map((app) => app.export(site, userId)))))
