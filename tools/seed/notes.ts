// What operators wrote down at stores.
import { operator } from "./access.ts"
import type { Section } from "./seeder.ts"

const NOTES: [store: string, note: string][] = [
  ["tin", "Rang on Tuesday: the invoice went to an old address. Sends the money by Friday; do not close before."],
  ["fern", "Moves its domain from another provider. The TXT record is asked for, their web agency sets it."],
  ["umber", "Wants the yearly plan once the exhibition is over. Ask again in spring."],
]

/** Writes them, in the console: there is no other place for it. */
export const seedNotes: Section = async (seeder) => {
  const forms = NOTES.map(([store, note]): [string, Record<string, string>] => [`stores/${store}/notes`, { note }])
  await seeder.console({ email: operator.email, derivePassword: seeder.password(operator.email) }, forms)
  return {}
}
