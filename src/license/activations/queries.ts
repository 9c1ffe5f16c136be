// Reads of activations. Every one of them is a look-up or two in an index, whatever the tables hold.
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, readPage } from "../../core/page"
import type { CentralDatabase } from "../../db/client"
import { joined, named } from "../../db/joined"
import { licenseActivations, licenseProducts, licenses } from "../../db/schema/central/licenses"
import { codeKey, type License } from "../licenses/schemas"
import type { Product } from "../products/schemas"
import type { RequestFacts } from "../rules/facts"
import type { Activation } from "./schemas"

/** A license, its product, and the activation that was asked for. */
export interface Holding {
  license: License
  product: Product
  activation: Activation | null
}

type Place = Omit<RequestFacts, "clientName">

/** Whether the address counts where the license names addresses: it does for who takes or gives back a use, not for who proves one. */
export type Matching = "place" | "domain"

/** That an activation is on, and for the place that asks; see `placeOf`. */
function isHeldAt({ domain, ip }: Place, matching: Matching): SQL {
  const isHere = sql`${licenseActivations.ip} is ${ip}`
  const anywhere = matching === "domain" ? sql`1` : sql`(json_array_length(${licenses.ips}) = 0 or ${isHere})`
  const here =
    domain === null
      ? sql`${licenseActivations.domain} is null and ${isHere}`
      : sql`${licenseActivations.domain} = ${domain} and ${anywhere}`
  return sql`${licenseActivations.licenseId} = ${licenses.id} and ${licenseActivations.isActive} = 1 and ${here}`
}

export type SelectHolding = ReturnType<typeof holding>

const holding = (db: CentralDatabase, which: SQL) =>
  db
    .select({ license: named(licenses), product: named(licenseProducts), activation: named(licenseActivations) })
    .from(licenses)
    .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
    .leftJoin(licenseActivations, which)
    .$dynamic()
    .limit(1)

/** The statement that reads a license by its code, with the activation that a place holds; `oneHolding` reads the answer. */
export const selectHoldingByCode = (db: CentralDatabase, code: string, place: Place, matching: Matching = "place") =>
  holding(db, isHeldAt(place, matching)).where(eq(licenses.codeKey, codeKey(code)))

/** The statement that reads a license by its number, with the activation that a place holds. */
export const selectHoldingByLicense = (db: CentralDatabase, license: number, place: Place) =>
  holding(db, isHeldAt(place, "place")).where(eq(licenses.id, license))

/** The statement that reads an activation by its number, with its license. */
export const selectHoldingByActivation = (db: CentralDatabase, activation: number) =>
  holding(db, eq(licenseActivations.licenseId, licenses.id) as SQL).where(eq(licenseActivations.id, activation))

/** What a statement above found, or null. */
export function oneHolding([row]: Awaited<ReturnType<typeof holding>>): Holding | null {
  return row ? { ...row, activation: row.activation && joined(row.activation) } : null
}

/** A page of activations, the newest first; of one license, or of all. */
export function pageOfActivations(
  ctx: Ctx,
  page: PageRequest & { is_active?: boolean },
  license?: License,
): Promise<Page<Activation>> {
  const where = and(
    license && eq(licenseActivations.licenseId, license.id),
    page.is_active === undefined ? undefined : eq(licenseActivations.isActive, page.is_active),
  )
  return readPage<Activation>(ctx.db, page, totalOf(page.is_active, license), ({ limit, offset }, direction) =>
    ctx.db
      .select()
      .from(licenseActivations)
      .where(where)
      .orderBy(direction === "forward" ? desc(licenseActivations.id) : asc(licenseActivations.id))
      .limit(limit)
      .offset(offset),
  )
}

function totalOf(isActive: boolean | undefined, license: License | undefined): SQL {
  if (!license) return counted("license_activations", isActive === undefined ? "" : String(Number(isActive)))
  const { activeUses, madeUses } = license
  return sql`(select ${isActive === undefined ? madeUses : isActive ? activeUses : madeUses - activeUses})`
}
