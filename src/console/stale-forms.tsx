// Refuses forms of pages that were shown before the store they name was created: the page was about an earlier store of the name, which
// was deleted while the page was open.

import type { Context } from "hono"
import { ulidTime } from "../lib/ulid"
import { readIncarnations } from "../platform/stores/service"
import { page } from "./kit/page"
import { STORES, storeInPath } from "./paths"
import { W } from "./strings"
import type { ConsoleEnv } from "./types"

/** Milliseconds by which the clocks of two machines may differ. */
const CLOCK_SKEW = 1_000

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/**
 * Pins the request to the store in its path, so that a later store of the name is `not_found` to it, and compares when the form was shown
 * with when its stores were created. A form without a time is not compared.
 * @returns the page that says that a store was replaced; null when none was
 */
export async function refuseStale(c: Context<ConsoleEnv>): Promise<Response | null> {
  const inPath = storeInPath(c.req.path)
  const ids = inPath !== null ? [inPath] : c.req.path === `${STORES}/bulk` ? (c.var.form.get("stores") ?? []) : []
  if (!ids.length) return null
  const { ctx } = c.var
  const found = await readIncarnations(ctx, ids)
  const pinned = found.find(({ id }) => id === inPath)
  if (pinned) c.set("ctx", { ...ctx, pinned })
  const shownAt = shownTime(c)
  const replaced = found.filter(({ createdAt }) => createdAt.getTime() > shownAt + CLOCK_SKEW)
  return replaced.length
    ? replacedPage(
        c,
        replaced.map(({ id }) => id),
      )
    : null
}

/** When the form was shown, in milliseconds since 1970; NaN when it does not say. The key of a form (kit/form.tsx) begins with the time. */
function shownTime(c: Context<ConsoleEnv>): number {
  const field = (name: string) => c.var.form.get(name)?.at(-1)
  const key = field("once") ?? ""
  return ULID.test(key) ? ulidTime(key) : Number(field("shown_at") ?? c.req.query("shown_at") ?? Number.NaN)
}

const replacedPage = (c: Context<ConsoleEnv>, ids: readonly string[]): Response =>
  page(c, {
    title: W.stores.replaced,
    status: 409,
    crumbs: [[W.stores.title, STORES]],
    children: (
      <>
        <p>{W.stores.replaced_body}</p>
        <ul>
          {ids.map((id) => (
            <li>
              <a href={`${STORES}/${id}`}>{id}</a>
            </li>
          ))}
        </ul>
      </>
    ),
  })
