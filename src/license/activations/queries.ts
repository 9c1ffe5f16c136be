// Reads of activations. One of them is a look-up or two in an index, a page of them a walk along one, whatever the tables hold.
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, readPage } from "../../core/list/page"
import { joined, named } from "../../db/join-columns"
import { type CompiledRead, compiled, given } from "../../db/prepared"
import { licenseActivations, licenseProducts, licenses } from "../../db/schema/central/licenses"
import { codeKey, type License } from "../licenses/schemas"
import { NAMED_PRODUCT, type NamedProduct } from "../products/schemas"
import type { RequestFacts } from "../rules/facts"
import { placesOf } from "../rules/installation-key"
import type { Activation } from "./schemas"

/** A license, its product, and the activation that was asked for. */
export interface Holding {
  license: License
  product: NamedProduct
  activation: Activation | null
}

type Place = Omit<RequestFacts, "clientName">

/** Whether the address counts where the license names addresses: it does for who takes or gives back a use, not for who proves one. */
export type Matching = "place" | "domain"

const IS_ACTIVE = sql`${licenseActivations.licenseId} = ${licenses.id} and ${licenseActivations.isActive} = 1`
const IS_OF_DOMAIN = sql`${licenseActivations.domain} = ${given("domain")}`
const NAMES_NO_ADDRESS = sql`json_array_length(${licenses.ips}) = 0`

const oneActive = (where: SQL) =>
  sql`(select ${licenseActivations.id} from ${licenseActivations} where ${IS_ACTIVE} and ${where} limit 1)`

const OWN = oneActive(
  sql`${licenseActivations.domain} is ${given("domain")} and ${licenseActivations.ip} is ${given("ip")}`,
)
const STORED = oneActive(
  sql`${licenseActivations.place} = iif(${NAMES_NO_ADDRESS}, ${given("withoutAddress")}, ${given("withAddress")})`,
)
const OF_DOMAIN = oneActive(sql`${IS_OF_DOMAIN} and ${NAMES_NO_ADDRESS}`)

/**
 * Which activation of a license is meant. What the license says of addresses may have changed since its activations were stored: an
 * installation keeps the one that it had, and an activation is made or moved only where no other one is stored for the place.
 */
const MEANT = {
  place: sql`${licenseActivations.id} = coalesce(${OWN}, ${STORED}, ${OF_DOMAIN})`,
  domain: sql`${IS_ACTIVE} and ${IS_OF_DOMAIN}`,
  any: eq(licenseActivations.licenseId, licenses.id),
}

/** A license, and the activation that was asked for: all nulls when there is none. */
interface HoldingRow extends Holding {
  activation: Activation
}

export type SelectHolding = CompiledRead<HoldingRow>

/** Statements that read a license by one of its columns, with the activation that is meant; `oneHolding` reads the answer. */
const holdingBy = (column: SQLiteColumn, meant: keyof typeof MEANT) =>
  compiled<HoldingRow, object>((db) =>
    db
      .select({
        license: named(licenses),
        product: named(licenseProducts, NAMED_PRODUCT),
        activation: named(licenseActivations),
      })
      .from(licenses)
      .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
      .leftJoin(licenseActivations, MEANT[meant])
      .where(eq(column, given("value")))
      .limit(1),
  )

/** Statements that read a license by one of its columns, with the activation that a place holds. */
function holdingAt(column: SQLiteColumn) {
  const by = { place: holdingBy(column, "place"), domain: holdingBy(column, "domain") }
  return (value: unknown, place: Place, matching: Matching): SelectHolding =>
    // Software that has no domain is known by its address alone.
    place.domain !== null && matching === "domain"
      ? by.domain({ value, domain: place.domain })
      : by.place({ value, ...place, ...placesOf(place) })
}

const byCode = holdingAt(licenses.codeKey)
const byNumber = holdingAt(licenses.id)
const byActivation = holdingBy(licenseActivations.id, "any")

/** The statement that reads a license by its code, with the activation that a place holds; `oneHolding` reads the answer. */
export const selectHoldingByCode = (code: string, place: Place, matching: Matching = "place"): SelectHolding =>
  byCode(codeKey(code), place, matching)

/** The statement that reads a license by its number, with the activation that a place holds. */
export const selectHoldingByLicense = (license: number, place: Place): SelectHolding =>
  byNumber(license, place, "place")

/** The statement that reads an activation by its number, with its license. */
export const selectHoldingByActivation = (activation: number): SelectHolding => byActivation({ value: activation })

/** What a statement above found, or null. */
export function oneHolding([row]: readonly HoldingRow[]): Holding | null {
  return row ? { ...row, activation: joined(row.activation) } : null
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
