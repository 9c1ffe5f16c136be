// The migration that stores whether the address of a shop's mails is confirmed: addresses from before it are.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { root } from "../../tools/lib/project"

const directory = join(root, "migrations", "sites")

const migrations = readdirSync(directory)
  .filter((name) => name.endsWith(".sql"))
  .sort()

test("the addresses from before the migration count as confirmed, except those of a locked site", () => {
  const db = new DatabaseSync(":memory:")
  const apply = (names: readonly string[]) => {
    for (const name of names) db.exec(readFileSync(join(directory, name), "utf8"))
  }
  const index = migrations.indexOf("0045_confirmed_contact.sql")
  apply(migrations.slice(0, index))
  const insertUser = db.prepare(
    `insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, role,
      email_verified_at, created_at, updated_at) values (?, ?, lower(?), '', '', '', ?, ?, ?, 1, 1)`,
  )
  const addUser = (
    site: string,
    email: string,
    { isStaff = 1, role = null as string | null, verified = null as number | null } = {},
  ) => insertUser.run(site, email, email, isStaff, role, verified)
  const insertSettings = db.prepare(
    "insert into shop_settings (site_id, settings, revision, updated_at) values (?, ?, 3, 1)",
  )
  const addSettings = (site: string, settings: object) => insertSettings.run(site, JSON.stringify(settings))
  addSettings("entered", { contact_email: "Shop@Example.com" })
  addUser("entered", "a@example.com")
  addSettings("locked", { contact_email: "shop@example.com" })
  addSettings("verified", { contact_email: null })
  addUser("verified", "b@example.com", { verified: 1 })
  addSettings("unverified", { currency: "EUR" })
  addUser("unverified", "customer@example.com", { isStaff: 0 })
  addUser("unverified", "editor@example.com", { role: "editor" })
  addUser("unverified", "Owner@example.com", { role: "owner" })
  addUser("unverified", "second@example.com")
  addUser("unset", "c@example.com")
  addUser("central", "d@example.com")
  db.exec("insert into held_sites (site_id, move, open, place, after, held_at) values ('locked', 'm', 0, 0, 0, 1)")

  apply(migrations.slice(index, index + 1))

  const rows = db
    .prepare("select site_id, confirmed_email, revision, settings from shop_settings order by site_id")
    .all()
  expect(rows.map((row) => Object.values(row))).toEqual([
    ["entered", "shop@example.com", 3, '{"contact_email":"Shop@Example.com"}'],
    ["locked", null, 3, '{"contact_email":"shop@example.com"}'],
    ["unset", "c@example.com", 0, "{}"],
    ["unverified", "owner@example.com", 3, '{"currency":"EUR"}'],
    ["verified", null, 3, '{"contact_email":null}'],
  ])
})
