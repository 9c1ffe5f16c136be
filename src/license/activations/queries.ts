// Queries for activations. A lookup reads one or two index entries and a page scans one index range, regardless of the
// table size.
import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../core/context"
import { type Page, type PageRequest, readPage, selectCounter } from "../../core/list/page"
import { aliasedColumns, nullIfUnmatched } from "../../db/join-columns"
import { type PreparedRead, param, prepareRead } from "../../db/prepared"
import { licenseActivations, licenseProducts, licenses } from "../../db/schema/central/licenses"
import { type License, normaliseCode } from "../licenses/schemas"
import { PRODUCT_SUMMARY_COLUMNS, type ProductSummary } from "../products/schemas"
import type { InstallationInfo } from "../rules/facts"
import { getInstallationKeys } from "../rules/installation-key"
import type { Activation } from "./schemas"

/** A license found for a request, its product, and the matching activation. */
export interface LicenseMatch {
  license: License
  product: ProductSummary
  activation: Activation | null
}

type InstallationAddress = Omit<InstallationInfo, "clientName">

/**
 * How to find a request's activation. `installation`, for activating and deactivating, also compares the address if the
 * license restricts addresses; `domain`, for verifying, ignores the address.
 */
export type MatchBy = "installation" | "domain"

const IS_ACTIVE = sql`${licenseActivations.licenseId} = ${licenses.id} and ${licenseActivations.isActive} = 1`
const IS_FOR_DOMAIN = sql`${licenseActivations.domain} = ${param("domain")}`
const ALLOWS_ANY_IP = sql`json_array_length(${licenses.ips}) = 0`

const selectActiveId = (where: SQL) =>
  sql`(select ${licenseActivations.id} from ${licenseActivations} where ${IS_ACTIVE} and ${where} limit 1)`

const SAME_ADDRESS = selectActiveId(
  sql`${licenseActivations.domain} is ${param("domain")} and ${licenseActivations.ip} is ${param("ip")}`,
)
const SAME_KEY = selectActiveId(
  sql`${licenseActivations.installationKey} = iif(${ALLOWS_ANY_IP}, ${param("withoutIp")}, ${param("withIp")})`,
)
const SAME_DOMAIN = selectActiveId(sql`${IS_FOR_DOMAIN} and ${ALLOWS_ANY_IP}`)

/**
 * Join conditions that select a license's matching activation. The license's address list may have changed since
 * activations were stored: an exact domain and address match comes first, so an installation stays with its activation;
 * then the stored key, so no second activation is created for one installation.
 */
const ACTIVATION_JOINS = {
  installation: sql`${licenseActivations.id} = coalesce(${SAME_ADDRESS}, ${SAME_KEY}, ${SAME_DOMAIN})`,
  domain: sql`${IS_ACTIVE} and ${IS_FOR_DOMAIN}`,
  any: eq(licenseActivations.licenseId, licenses.id),
}

/** A row of the left join: every activation column is null when there is no match. */
interface MatchRow extends LicenseMatch {
  activation: Activation
}

export type SelectMatch = PreparedRead<MatchRow>

/** Prepares a query for a license by one column, with its matching activation; `firstMatch` reads the result. */
const prepareMatch = (column: SQLiteColumn, join: keyof typeof ACTIVATION_JOINS) =>
  prepareRead<MatchRow, object>((db) =>
    db
      .select({
        license: aliasedColumns(licenses),
        product: aliasedColumns(licenseProducts, PRODUCT_SUMMARY_COLUMNS),
        activation: aliasedColumns(licenseActivations),
      })
      .from(licenses)
      .innerJoin(licenseProducts, eq(licenseProducts.id, licenses.productId))
      .leftJoin(licenseActivations, ACTIVATION_JOINS[join])
      .where(eq(column, param("value")))
      .limit(1),
  )

/** Prepares queries for a license by one column, with an installation's activation. */
function prepareMatchForInstallation(column: SQLiteColumn) {
  const byInstallation = prepareMatch(column, "installation")
  const byDomain = prepareMatch(column, "domain")
  return (value: unknown, address: InstallationAddress, matchBy: MatchBy): SelectMatch =>
    // Software without a domain is identified by its address alone.
    address.domain !== null && matchBy === "domain"
      ? byDomain({ value, domain: address.domain })
      : byInstallation({ value, ...address, ...getInstallationKeys(address) })
}

const byCode = prepareMatchForInstallation(licenses.codeKey)
const byId = prepareMatchForInstallation(licenses.id)
const byActivation = prepareMatch(licenseActivations.id, "any")

/** Query for a license by its code, with the installation's activation; `firstMatch` reads the result. */
export const selectMatchByCode = (
  code: string,
  address: InstallationAddress,
  matchBy: MatchBy = "installation",
): SelectMatch => byCode(normaliseCode(code), address, matchBy)

/** Query for a license by its id, with the installation's activation. */
export const selectMatchByLicense = (license: number, address: InstallationAddress): SelectMatch =>
  byId(license, address, "installation")

/** Query for an activation by its id, with its license. */
export const selectMatchByActivation = (activation: number): SelectMatch => byActivation({ value: activation })

/** Returns the result of one of the queries above, or null. */
export function firstMatch([row]: readonly MatchRow[]): LicenseMatch | null {
  return row ? { ...row, activation: nullIfUnmatched(row.activation) } : null
}

/** Returns a page of activations, newest first; of one license or of all. */
export function readActivationPage(
  ctx: Ctx,
  page: PageRequest & { is_active?: boolean },
  license?: License,
): Promise<Page<Activation>> {
  const where = and(
    license && eq(licenseActivations.licenseId, license.id),
    page.is_active === undefined ? undefined : eq(licenseActivations.isActive, page.is_active),
  )
  return readPage<Activation>(ctx.db, page, countActivations(page.is_active, license), ({ limit, offset }, direction) =>
    ctx.db
      .select()
      .from(licenseActivations)
      .where(where)
      .orderBy(direction === "forward" ? desc(licenseActivations.id) : asc(licenseActivations.id))
      .limit(limit)
      .offset(offset),
  )
}

function countActivations(isActive: boolean | undefined, license: License | undefined): SQL {
  if (!license) return selectCounter("license_activations", isActive === undefined ? "" : String(Number(isActive)))
  const { activeUses, madeUses } = license
  return sql`(select ${isActive === undefined ? madeUses : isActive ? activeUses : madeUses - activeUses})`
}
