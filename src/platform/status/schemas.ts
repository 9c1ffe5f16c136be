// Schemas of incidents, for the console, commands and the status page.
import * as z from "zod"
import { multilineText, text } from "../../core/http/validation"
import type { incidents } from "../../db/schema/central/incidents"
import { formatTimestamp } from "../../lib/time"

export type Incident = typeof incidents.$inferSelect

const title = text({ max: 200 })
const body = multilineText({ max: 5_000 })

export const CreateIncident = z.object({ title, body })

export const UpdateIncident = z.object({
  title: title.optional(),
  body: body.optional(),
  ended: z.boolean().optional(),
})

/** An incident, as the status page publishes it. */
export const incidentResource = ({ id, title, body, startedAt, updatedAt, endedAt }: Incident) => ({
  id,
  title,
  body,
  started_at: formatTimestamp(startedAt),
  updated_at: formatTimestamp(updatedAt),
  ended_at: formatTimestamp(endedAt),
})
