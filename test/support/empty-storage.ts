// Empties the databases and buckets that a test used, which takes a fifth of creating them again.
import type { D1Migration } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { deleteNewRows } from "./schema"
import { storage } from "./storage-use"

/** The databases that every test has. */
export const DATABASES: [D1Database, D1Migration[]][] = [
  [env.DB, env.TEST_MIGRATIONS_CENTRAL],
  [env.SITES_1, env.TEST_MIGRATIONS_SITES],
]

/** The migrations of each database. Only some tests create the others. */
const MIGRATIONS = new Map([
  ...DATABASES,
  [env.SITES_2, env.TEST_MIGRATIONS_SITES],
  [env.WEBHOOKS_1, env.TEST_MIGRATIONS_CENTRAL],
  [env.WEBHOOKS_2, env.TEST_MIGRATIONS_CENTRAL],
])

/** Empties the databases and buckets. Returns false if that is not enough, because the test changed a schema. */
export async function emptyStorage(): Promise<boolean> {
  const done = await Promise.all([
    ...[...storage.databases].map((database) => deleteNewRows(database, MIGRATIONS.get(database) ?? [])),
    ...[...storage.buckets].map(deleteFiles),
  ])
  return done.every(Boolean)
}

/** Deletes the files of a bucket. Returns false if it has more than a list shows. */
async function deleteFiles(bucket: R2Bucket): Promise<boolean> {
  const { objects, truncated } = await bucket.list()
  if (objects.length) await bucket.delete(objects.map(({ key }) => key))
  return !truncated
}
