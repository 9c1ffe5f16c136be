// Seeds the operators' notes about stores.
import { operator } from "./access.ts"
import type { Section } from "./seeder.ts"

const NOTES: [store: string, note: string][] = [
  ["tin", "Called on Tuesday: the invoice went to an old address. Will pay by Friday; do not close before then."],
  ["fern", "Moving the domain from another provider. Their web agency will set the TXT record."],
  ["umber", "Wants the yearly plan once the exhibition is over. Follow up in spring."],
]

/** Creates the notes through the console, because no API does. */
export const seedNotes: Section = async (seeder) => {
  const forms = NOTES.map(([store, note]): [string, Record<string, string>] => [`stores/${store}/notes`, { note }])
  await seeder.console({ email: operator.email, password: seeder.password(operator.email) }, forms)
  return {}
}
