// Lists every column that `lib/cipher` encrypts. Rotating APP_KEY re-encrypts these columns; a test searches all
// columns of all tables for ciphertext that is missing here.
import { getTableName } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { idempotencyRecords } from "./schema/central/idempotency"
import { operators } from "./schema/central/operators"
import { settings } from "./schema/central/settings"
import { webhookEndpoints } from "./schema/central/webhooks"
import { accountMails } from "./schema/sites/account-mails"
import { pushAccounts } from "./schema/sites/push"
import { userTotps } from "./schema/sites/second-factors"

export interface EncryptedColumn {
  /** `table.column`. */
  name: string
  table: SQLiteTable
  column: SQLiteColumn
  /** `json`: ciphertext may appear anywhere within the value. */
  form: "text" | "json"
  /** The primary key of a table without rowid. */
  key: SQLiteColumn | null
}

const encryptedColumn = (
  table: SQLiteTable,
  column: SQLiteColumn,
  { form = "text", key = null }: Partial<Pick<EncryptedColumn, "form" | "key">> = {},
): EncryptedColumn => ({
  name: `${getTableName(table)}.${column.name}`,
  table,
  column,
  form,
  key,
})

/** In the central database. */
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  encryptedColumn(webhookEndpoints, webhookEndpoints.secret),
  encryptedColumn(webhookEndpoints, webhookEndpoints.previousSecret),
  encryptedColumn(webhookEndpoints, webhookEndpoints.headers, { form: "json" }),
  encryptedColumn(operators, operators.totpSecret),
  encryptedColumn(idempotencyRecords, idempotencyRecords.response, { key: idempotencyRecords.id }),
  encryptedColumn(settings, settings.value, { form: "json" }),
]

/** In every site database. */
export const ENCRYPTED_SITE_COLUMNS: readonly EncryptedColumn[] = [
  encryptedColumn(accountMails, accountMails.token),
  encryptedColumn(userTotps, userTotps.secret),
  encryptedColumn(pushAccounts, pushAccounts.privateKey),
  encryptedColumn(pushAccounts, pushAccounts.accessToken),
]
