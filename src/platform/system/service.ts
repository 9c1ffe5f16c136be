// What the platform stands on: its databases and its settings.
import type { Ctx } from "../../core/context"
import { bindingOf } from "../../env"

/** How large each database is, in bytes; null where it does not tell. */
export const readDatabases = (ctx: Ctx): Promise<{ name: string; bytes: number | null }[]> =>
  Promise.all(
    ["DB", ...ctx.settings.SITE_DATABASES].map(async (name) => {
      const database = bindingOf(ctx.env, name) as D1Database
      const answer = await database
        .prepare("select 1")
        .run()
        .catch(() => null)
      return { name, bytes: answer?.meta.size_after ?? null }
    }),
  )

const SECRET = /KEY|TOKEN|SECRET/

/** The settings by name; null stands for a secret that is set. */
export const readSettings = (ctx: Ctx): { name: string; value: string | null }[] =>
  Object.entries(ctx.settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({
      name,
      value: SECRET.test(name) ? null : Array.isArray(value) ? value.join(", ") : String(value),
    }))
    .sort((a, b) => a.name.localeCompare(b.name))
