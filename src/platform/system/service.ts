// Reads the platform's database sizes and settings for the system page.
import type { Ctx } from "../../core/context"
import { listDatabases, probeDatabase } from "../../db/probe"

/** Reads the size of each database in bytes; null when it is not available. */
export const readDatabaseSizes = (ctx: Ctx): Promise<{ name: string; bytes: number | null }[]> =>
  Promise.all(
    listDatabases(ctx.settings).map(async (name) => ({
      name,
      bytes: await probeDatabase(ctx.env, name).catch(() => null),
    })),
  )

const SECRET_NAME = /KEY|TOKEN|SECRET|ALERT_WEBHOOK_URL/

/** Lists the settings by name; null for a secret that is set. */
export const readSettings = (ctx: Ctx): { name: string; value: string | null }[] =>
  Object.entries(ctx.settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({
      name,
      value: SECRET_NAME.test(name) ? null : Array.isArray(value) ? value.join(", ") : String(value),
    }))
    .sort((a, b) => a.name.localeCompare(b.name))
