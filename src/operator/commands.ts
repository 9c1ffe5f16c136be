// The operator's commands: name -> what it is for, what it takes, what it does. Run over HTTP with the operator token.
import { eq } from "drizzle-orm"
import * as z from "zod"
import { commit, LostRace } from "../core/commit"
import { invalid } from "../core/refusal"
import { email, password, text } from "../core/validation"
import { operators } from "../db/schema/central/keys"
import { insert } from "../db/write"
import { hashPassword } from "../lib/password"
import { timestamp } from "../lib/time"
import { CreateKey, keyResource } from "../platform/keys/schemas"
import { createKey, listKeys, revokeKey } from "../platform/keys/service"
import { billingCommands } from "./billing-commands"
import { type Command, command } from "./command"
import { contentCommands } from "./content-commands"
import { domainCommands } from "./domain-commands"
import { licenseCommands } from "./license-commands"
import { planCommands } from "./plan-commands"
import { siteCommands } from "./site-commands"
import { webhookCommands } from "./webhook-commands"

const CreateOperator = z.object({ email: email(190), name: text({ max: 120 }), password: password(12) })

export const COMMANDS: Record<string, Command> = {
  "keys:create": command("Issue an API key; it is shown this once", CreateKey, async (ctx, input) => {
    const { key, plaintext } = await createKey(ctx, input)
    return { id: key.id, name: key.name, key: plaintext, key_prefix: key.keyPrefix, scopes: key.scopes }
  }),
  "keys:list": command("List the API keys", z.object({}), async (ctx) =>
    (await listKeys(ctx)).map((key) => keyResource(key, ctx.now)),
  ),
  "keys:revoke": command(
    "Revoke an API key",
    z.object({ id: z.coerce.number().int().positive() }),
    async (ctx, { id }) => keyResource(await revokeKey(ctx, id), ctx.now),
  ),
  "operators:create": command("Create an operator of the console", CreateOperator, async (ctx, input) => {
    const key = input.email.toLowerCase()
    const values = {
      email: key,
      name: input.name,
      passwordHash: await hashPassword(input.password),
      createdAt: ctx.now,
    }
    const [[operator]] = await commit(ctx, {
      guard: insert(operators).values(values).onConflictDoNothing(),
      writes: [ctx.db.select().from(operators).where(eq(operators.email, key))],
      trail: [{ audit: { subject: "operator", deed: "created", id: key, after: { email: key, name: input.name } } }],
    }).catch((cause) => {
      throw cause instanceof LostRace ? invalid("email", "duplicate") : cause
    })
    if (!operator) throw new Error("The operator was not stored")
    return { id: operator.id, email: operator.email, name: operator.name, created_at: timestamp(operator.createdAt) }
  }),
  ...planCommands,
  ...billingCommands,
  ...webhookCommands,
  ...contentCommands,
  ...domainCommands,
  ...siteCommands,
  ...licenseCommands,
}
