// Every column that holds what `lib/cipher` sealed. Whoever changes the application's key goes by this list, so whoever adds such a
// column adds it here; a test looks through all columns of all tables for containers that are not on it.
import { getTableName } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { idempotencyKeys } from "./schema/central/idempotency"
import { operators } from "./schema/central/operators"
import { settings } from "./schema/central/settings"
import { webhookEndpoints } from "./schema/central/webhooks"
import { pushAccounts } from "./schema/sites/push"

export interface SealedColumn {
  /** `table.column`. */
  name: string
  table: SQLiteTable
  column: SQLiteColumn
  /** `json`: containers stand anywhere within the value. */
  form: "text" | "json"
}

const sealed = (table: SQLiteTable, column: SQLiteColumn, form: SealedColumn["form"] = "text"): SealedColumn => ({
  name: `${getTableName(table)}.${column.name}`,
  table,
  column,
  form,
})

/** Of the central database. */
export const SEALED: readonly SealedColumn[] = [
  sealed(webhookEndpoints, webhookEndpoints.secret),
  sealed(webhookEndpoints, webhookEndpoints.previousSecret),
  sealed(operators, operators.totpSecret),
  sealed(idempotencyKeys, idempotencyKeys.body),
  sealed(settings, settings.value, "json"),
]

/** Of every site database. */
export const SEALED_IN_SITES: readonly SealedColumn[] = [
  sealed(pushAccounts, pushAccounts.privateKey),
  sealed(pushAccounts, pushAccounts.accessToken),
]
