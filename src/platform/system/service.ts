// Reads the platform's database sizes and settings for the system page.
import type { Ctx } from "../../core/context"
import { bindingOf } from "../../env"

/** Reads the size of each database in bytes; null when it is not available. */
export const readDatabaseSizes = (ctx: Ctx): Promise<{ name: string; bytes: number | null }[]> =>
  Promise.all(
    ["DB", ...ctx.settings.SITE_DATABASES].map(async (name) => {
      const database = bindingOf(ctx.env, name) as D1Database
      const result = await database
        .prepare("select 1")
        .run()
        .catch(() => null)
      return { name, bytes: result?.meta.size_after ?? null }
    }),
  )

const SECRET_NAME = /KEY|TOKEN|SECRET/

/** Lists the settings by name; null for a secret that is set. */
export const readSettings = (ctx: Ctx): { name: string; value: string | null }[] =>
  Object.entries(ctx.settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({
      name,
      value: SECRET_NAME.test(name) ? null : Array.isArray(value) ? value.join(", ") : String(value),
    }))
    .sort((a, b) => a.name.localeCompare(b.name))
