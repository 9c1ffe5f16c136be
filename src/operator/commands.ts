// Registers all operator CLI commands by name. They run over HTTP with the operator token (routes.ts).
import * as z from "zod"
import { withLookups } from "../core/http/validation"
import { deriveEncodedKeys } from "../license/encryption/keyring"
import { buildRetiredKeyWrites } from "../license/settings"
import { CreateKey, keyResource } from "../platform/keys/schemas"
import { createKey, listKeys, revokeKey } from "../platform/keys/service"
import {
  inviteOperator,
  listInvitations,
  resendInvitation,
  withdrawInvitation,
} from "../platform/operators/invitations"
import {
  CreateOperator,
  InviteOperator,
  invitationResource,
  operatorResource,
  UpdateOperator,
} from "../platform/operators/schemas"
import { createOperator, listOperators, removeOperator, updateOperator } from "../platform/operators/service"
import { rotateKey } from "../platform/system/app-key"
import { archiveCommands } from "./archive-commands"
import { backfillCommands } from "./backfill-commands"
import { backupCommands } from "./backup-commands"
import { billingCommands } from "./billing-commands"
import { type Command, command } from "./command"
import { contentCommands } from "./content-commands"
import { domainCommands } from "./domain-commands"
import { incidentCommands } from "./incident-commands"
import { invoiceCommands } from "./invoice-commands"
import { licenseCommands } from "./license-commands"
import { notificationCommands } from "./notification-commands"
import { secretOption } from "./options"
import { planCommands } from "./plan-commands"
import { siteCommands } from "./site-commands"
import { siteMigrationCommands } from "./site-migration-commands"
import { webhookCommands } from "./webhook-commands"

const rowId = z.coerce.number().int().positive()

export const COMMANDS: Record<string, Command> = {
  "keys:create": command("Create an API key; you won't be able to see it again", CreateKey, async (ctx, input) => {
    const { key, plaintext } = await createKey(ctx, input)
    return { id: key.id, name: key.name, key: plaintext, key_prefix: key.keyPrefix, scopes: key.scopes }
  }),
  "keys:list": command("List API keys", z.object({}), async (ctx) =>
    (await listKeys(ctx)).map((key) => keyResource(key, ctx.now)),
  ),
  "keys:revoke": command("Revoke an API key", z.object({ id: rowId.describe("API key ID") }), async (ctx, { id }) =>
    keyResource(await revokeKey(ctx, id), ctx.now),
  ),
  "operators:create": command(
    "Create a console operator",
    withLookups(CreateOperator.extend({ password: secretOption(CreateOperator.shape.password) }), "email", "password"),
    async (ctx, input) => operatorResource(await createOperator(ctx, input)),
  ),
  "operators:invite": command("Invite a console operator by mail", InviteOperator, async (ctx, input) =>
    invitationResource(await inviteOperator(ctx, input)),
  ),
  "operators:invitations": command("List pending invitations", z.object({}), async (ctx) =>
    (await listInvitations(ctx)).map(invitationResource),
  ),
  "operators:resend-invitation": command(
    "Mail an invitation again, with a new link",
    z.object({ id: rowId.describe("Invitation ID") }),
    async (ctx, { id }) => invitationResource(await resendInvitation(ctx, id)),
  ),
  "operators:withdraw-invitation": command(
    "Withdraw an invitation",
    z.object({ id: rowId.describe("Invitation ID") }),
    async (ctx, { id }) => {
      await withdrawInvitation(ctx, id)
      return { id, withdrawn: true }
    },
  ),
  "operators:list": command("List console operators", z.object({}), async (ctx) =>
    (await listOperators(ctx)).map(operatorResource),
  ),
  "operators:update": command(
    "Update an operator's name or role, or disable or re-enable the account",
    UpdateOperator.extend({
      id: rowId.describe("Operator ID"),
      disabled: z
        .union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")])
        .optional()
        .describe("true disables the account, false re-enables it"),
    }),
    async (ctx, { id, ...input }) => operatorResource(await updateOperator(ctx, id, input)),
  ),
  "operators:remove": command(
    "Delete an operator",
    z.object({ id: rowId.describe("Operator ID") }),
    async (ctx, { id }) => {
      await removeOperator(ctx, id)
      return { id, removed: true }
    },
  ),
  "app-key:rotate": command(
    "Re-encrypt data from APP_KEY_PREVIOUS to APP_KEY; repeat until `done` is true",
    z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(100_000)
        .default(5_000)
        .describe("Maximum number of rows to check per run"),
    }),
    async (ctx, { limit }) =>
      rotateKey(ctx, limit, async () => {
        const { previous } = ctx.settings.APP_KEY
        return previous ? buildRetiredKeyWrites(ctx, await deriveEncodedKeys(previous)) : []
      }),
  ),
  ...planCommands,
  ...billingCommands,
  ...incidentCommands,
  ...invoiceCommands,
  ...webhookCommands,
  ...contentCommands,
  ...domainCommands,
  ...siteCommands,
  ...siteMigrationCommands,
  ...backupCommands,
  ...archiveCommands,
  ...backfillCommands,
  ...notificationCommands,
  ...licenseCommands,
}
