// The operator's commands: name -> what it is for, what it takes, what it does. Run over HTTP with the operator token.
import * as z from "zod"
import { derivedTexts } from "../license/encryption/keyring"
import { retireWrites } from "../license/settings"
import { CreateKey, keyResource } from "../platform/keys/schemas"
import { createKey, listKeys, revokeKey } from "../platform/keys/service"
import { CreateOperator, operatorResource, UpdateOperator } from "../platform/operators/schemas"
import { createOperator, listOperators, removeOperator, updateOperator } from "../platform/operators/service"
import { rotateKey } from "../platform/system/app-key"
import { billingCommands } from "./billing-commands"
import { type Command, command } from "./command"
import { contentCommands } from "./content-commands"
import { domainCommands } from "./domain-commands"
import { licenseCommands } from "./license-commands"
import { notificationCommands } from "./notification-commands"
import { secret } from "./options"
import { planCommands } from "./plan-commands"
import { siteCommands } from "./site-commands"
import { moveCommands } from "./site-migration-commands"
import { webhookCommands } from "./webhook-commands"

const rowNumber = z.coerce.number().int().positive()

export const COMMANDS: Record<string, Command> = {
  "keys:create": command("Issue an API key; it is shown this once", CreateKey, async (ctx, input) => {
    const { key, plaintext } = await createKey(ctx, input)
    return { id: key.id, name: key.name, key: plaintext, key_prefix: key.keyPrefix, scopes: key.scopes }
  }),
  "keys:list": command("List the API keys", z.object({}), async (ctx) =>
    (await listKeys(ctx)).map((key) => keyResource(key, ctx.now)),
  ),
  "keys:revoke": command("Revoke an API key", z.object({ id: rowNumber }), async (ctx, { id }) =>
    keyResource(await revokeKey(ctx, id), ctx.now),
  ),
  "operators:create": command(
    "Create an operator of the console",
    CreateOperator.extend({ password: secret(CreateOperator.shape.password) }),
    async (ctx, input) => operatorResource(await createOperator(ctx, input)),
  ),
  "operators:list": command("List the operators of the console", z.object({}), async (ctx) =>
    (await listOperators(ctx)).map(operatorResource),
  ),
  "operators:update": command(
    "Change an operator's name or role, shut one out or let one in again",
    UpdateOperator.extend({
      id: rowNumber,
      disabled: z
        .union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")])
        .optional()
        .describe("true shuts the operator out, false lets them in again"),
    }),
    async (ctx, { id, ...input }) => operatorResource(await updateOperator(ctx, id, input)),
  ),
  "operators:remove": command("Remove an operator", z.object({ id: rowNumber }), async (ctx, { id }) => {
    await removeOperator(ctx, id)
    return { id, removed: true }
  }),
  "app-key:rotate": command(
    "Encrypt anew, under APP_KEY, what APP_KEY_PREVIOUS encrypted; run it until `done` is true",
    z.object({
      limit: z.coerce.number().int().min(1).max(100_000).default(5_000).describe("rows it looks at, at most"),
    }),
    async (ctx, { limit }) =>
      rotateKey(ctx, limit, async () => {
        const { previous } = ctx.settings.APP_KEY
        return previous ? retireWrites(ctx, await derivedTexts(previous)) : []
      }),
  ),
  ...planCommands,
  ...billingCommands,
  ...webhookCommands,
  ...contentCommands,
  ...domainCommands,
  ...siteCommands,
  ...moveCommands,
  ...notificationCommands,
  ...licenseCommands,
}
