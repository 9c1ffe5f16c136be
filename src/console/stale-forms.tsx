// Refuses forms that were rendered before their store was created: the page showed an earlier store with the same id.
import type { Context } from "hono"
import { ulidTime } from "../lib/ulid"
import { readIncarnations } from "../platform/stores/service"
import { page } from "./kit/page"
import { STORES, storeInPath } from "./paths"
import { W } from "./strings"
import type { ConsoleEnv } from "./types"

/** Tolerance for the difference between the clocks of two machines. */
const CLOCK_SKEW_MS = 1_000

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/**
 * Pins the request to the store in its path, so a later store with the same id is `not_found` to it. Then compares the
 * time the form was rendered with the creation time of its stores; a form without a time is not compared.
 * @returns a page that reports the replaced stores; null when there are none
 */
export async function refuseStale(c: Context<ConsoleEnv>): Promise<Response | null> {
  const inPath = storeInPath(c.req.path)
  const ids = inPath !== null ? [inPath] : c.req.path === `${STORES}/bulk` ? (c.var.form.get("stores") ?? []) : []
  if (!ids.length) return null
  const { ctx } = c.var
  const found = await readIncarnations(ctx, ids)
  const pinned = found.find(({ id }) => id === inPath)
  if (pinned) c.set("ctx", { ...ctx, pinned })
  const shownAt = getShownTime(c)
  const replaced = found.filter(({ createdAt }) => createdAt.getTime() > shownAt + CLOCK_SKEW_MS)
  return replaced.length
    ? renderReplacedPage(
        c,
        replaced.map(({ id }) => id),
      )
    : null
}

/**
 * The time the form was rendered, in milliseconds since 1970; NaN when unknown.
 * The idempotency key of a form (kit/form.tsx) is a ULID, which begins with that time.
 */
function getShownTime(c: Context<ConsoleEnv>): number {
  const field = (name: string) => c.var.form.get(name)?.at(-1)
  const key = field("once") ?? ""
  return ULID.test(key) ? ulidTime(key) : Number(field("shown_at") ?? c.req.query("shown_at") ?? Number.NaN)
}

const renderReplacedPage = (c: Context<ConsoleEnv>, ids: readonly string[]) =>
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
