// Documents the events as the `webhooks` of a document: payload, example, and the headers that sign the example.
import { createHmac } from "node:crypto"
import { API_VERSION } from "../../src/core/write/events.ts"
import { pascalCase } from "./component-names.ts"
import { EVENTS } from "./events/events.ts"
import { buildExample } from "./examples.ts"
import type { Components, JsonSchema } from "./json-schema.ts"

/** Signs the examples. */
const EXAMPLE_SECRET = "whsec_4fR7tYpQ2mZxLc9VbN8sWd3HgJk6TuAe1oXi5rEq"

/** Unix time in seconds of the examples' deliveries: 2026-09-02T10:15:00Z. */
const EXAMPLE_SENT_AT = 1_788_344_100

/** The description of the tag that all events have. */
export const WEBHOOKS_DESCRIPTION = `Manage endpoints, which receive events as POST requests. Any 2xx response is a success; redirects are not followed. A failed delivery is retried after 60, 300, 1800, 7200 and 43200 seconds with the same \`id\`. To verify \`X-Tenancy-Signature\`, compute the hex HMAC-SHA256 of \`<t>.<raw body>\` with the endpoint's whole secret, compare it in constant time before you parse the body, and reject a \`t\` more than 300 seconds from your clock. Each delivery also carries the Standard Webhooks headers. The examples are signed with the secret \`${EXAMPLE_SECRET}\`; their raw body is the JSON without white space.`

/** Builds one entry per event type. */
export function buildWebhooks(components: Components): Record<string, { post: object }> {
  const entries = Object.entries(EVENTS).map(([type, { summary, payloadSchema }]) => {
    const schema = components.convert(payloadSchema, "output", type)
    const example = buildExample(schema, (ref) => components.resolve(ref), type)
    const named = components.name(`${pascalCase(type)}Event`, schema)
    const post = {
      operationId: `on.${type}`,
      tags: ["webhooks"],
      summary,
      security: [],
      parameters: buildHeaders(type, example as { id: string }),
      requestBody: { required: true, content: { "application/json": { schema: named, example } } },
      responses: {
        "2XX": { description: "Delivered" },
        "4XX": { description: "Failed; retried later, like any other failure" },
      },
    }
    return [type, { post }] as const
  })
  return Object.fromEntries(entries)
}

function buildHeaders(type: string, example: { id: string }): object[] {
  const body = JSON.stringify(example)
  const signature = createHmac("sha256", EXAMPLE_SECRET).update(`${EXAMPLE_SENT_AT}.${body}`).digest("hex")
  const key = Buffer.from(EXAMPLE_SECRET.slice("whsec_".length), "base64")
  const signedText = `${example.id}.${EXAMPLE_SENT_AT}.${body}`
  const standardSignature = createHmac("sha256", key).update(signedText).digest("base64")
  const header = (name: string, description: string, value: string, schema: JsonSchema = { type: "string" }) => ({
    name,
    in: "header",
    required: true,
    description,
    schema,
    example: value,
  })
  return [
    header("User-Agent", "Name of the platform and API version.", `Tenancy-Webhooks/${API_VERSION}`),
    header("X-Tenancy-Event", "Event type.", type, { type: "string", const: type }),
    header("X-Tenancy-Delivery", "Id of the event.", example.id),
    header("X-Tenancy-Signature", "`t=<unix seconds>,v1=<hex>`.", `t=${EXAMPLE_SENT_AT},v1=${signature}`),
    header("webhook-id", "Id of the event.", example.id),
    header("webhook-timestamp", "Unix time in seconds.", String(EXAMPLE_SENT_AT)),
    header("webhook-signature", "`v1,<base64>` (Standard Webhooks).", `v1,${standardSignature}`),
  ]
}
