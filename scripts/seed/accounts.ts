// The platform's own content API: its key, a server's token, a user to log in as, and something in that user's inbox.
import type { ApiRefusal } from "../lib/api.ts"
import { type Section, type Seeder, unlessDone } from "./seeder.ts"

const user = { name: "Maya Okafor", email: "maya@example.com" }
const serverToken = { site: "central", name: "Demo token, internal", type: "internal" }
const welcome = {
  title: "Welcome",
  message: "This is your inbox: what the platform tells its users arrives here.",
  target: "customers",
  type: "system",
}

/** Makes the keys and the user, and greets the user on the first run. */
export const accounts: Section = async (seeder) => {
  const password = seeder.password(user.email)
  const emailTaken = ({ fields }: ApiRefusal) => Object.keys(fields).join() === "email"
  const registered = seeder
    .content("POST", "/register", { ...user, password, password_confirmation: password })
    .then(() => seeder.operator("api:send-notification", welcome))
  await unlessDone(emailTaken, registered)
  const { key } = await seeder.operator<{ key: string }>("site:api-key", { site: "central" })
  return { content: { api_key: key, internal_key: await freshToken(seeder), user: { email: user.email, password } } }
}

/** A new server token; those of an unfinished run, shown to nobody, are revoked. */
async function freshToken(seeder: Seeder): Promise<string> {
  const { site, name } = serverToken
  const tokens = await seeder.operator<{ id: number; name: string }[]>("site-tokens:list", { site })
  for (const token of tokens) {
    if (token.name === name) await seeder.operator("site-tokens:revoke", { site, id: token.id })
  }
  return (await seeder.operator<{ token: string }>("site-tokens:create", serverToken)).token
}
