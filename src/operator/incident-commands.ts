// CLI commands for incidents on the public status page.
import * as z from "zod"
import { CreateIncident, incidentResource, UpdateIncident } from "../platform/status/schemas"
import { createIncident, listIncidents, updateIncident } from "../platform/status/service"
import { type Command, command } from "./command"

const { title, body } = CreateIncident.shape

export const incidentCommands: Record<string, Command> = {
  "incidents:create": command(
    "Publish an incident on the status page",
    z.object({
      title: title.describe("Title, up to 200 characters"),
      body: body.describe("What happened, as plain text"),
    }),
    async (ctx, input) => incidentResource(await createIncident(ctx, input)),
  ),
  "incidents:list": command("List the newest incidents", z.object({}), async (ctx) =>
    (await listIncidents(ctx)).map(incidentResource),
  ),
  "incidents:update": command(
    "Change an incident, or end it",
    UpdateIncident.extend({
      id: z.coerce.number().int().positive().describe("Incident ID"),
      ended: z
        .union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")])
        .optional()
        .describe("true ends the incident, false opens it again"),
    }),
    async (ctx, { id, ...input }) => incidentResource(await updateIncident(ctx, id, input)),
  ),
}
