// The events as the document's `webhooks`: schema, example, and a signature of the example that verifies.
import { createHmac } from "node:crypto"
import { API_VERSION } from "../../src/core/write/events.ts"
import { EVENTS } from "./events/events.ts"
import { exampleOf } from "./examples.ts"
import type { Components, JsonSchema } from "./json-schema.ts"

/** The secret that the examples are signed with. */
const EXAMPLE_SECRET = "whsec_4fR7tYpQ2mZxLc9VbN8sWd3HgJk6TuAe1oXi5rEq"

/** When the examples are sent: Unix seconds of 2026-09-02T10:15:00Z. */
const SENT_AT = 1_788_344_100

const HOW = `Any 2xx is success; redirects are not followed. Retries come after 60, 300, 1800, 7200 and 43200 seconds, and \`id\` is the same on each.

The signed text is the raw body behind \`<t>.\`: hex HMAC-SHA256 under the endpoint's whole secret. Verify before you parse, compare in constant time, and refuse a \`t\`
that is more than 300 seconds from your clock. Each delivery also carries the Standard Webhooks headers.

The example is signed with the secret \`${EXAMPLE_SECRET}\`; its raw body is the example as JSON without white space.`

/** One entry an event. */
export function webhooksOf(components: Components): Record<string, { post: object }> {
  const entries = Object.entries(EVENTS).map(([type, { summary, payload }]) => {
    const schema = components.of(payload, "output")
    const example = exampleOf(schema, (ref) => components.schemas[ref.$ref?.split("/").at(-1) ?? ""] ?? {}, "event")
    const post = {
      operationId: `on.${type}`,
      tags: ["webhooks"],
      summary,
      description: HOW,
      security: [],
      parameters: headersOf(type, example as { id: string }),
      requestBody: { required: true, content: { "application/json": { schema, example } } },
      responses: {
        "2XX": { description: "Taken." },
        "4XX": { description: "Not taken; it is sent again later, like after any other answer." },
      },
    }
    return [type, { post }] as const
  })
  return Object.fromEntries(entries)
}

function headersOf(type: string, example: { id: string }): object[] {
  const body = JSON.stringify(example)
  const signature = createHmac("sha256", EXAMPLE_SECRET).update(`${SENT_AT}.${body}`).digest("hex")
  const key = Buffer.from(EXAMPLE_SECRET.slice("whsec_".length), "base64")
  const standard = createHmac("sha256", key).update(`${example.id}.${SENT_AT}.${body}`).digest("base64")
  const header = (name: string, description: string, value: string, schema: JsonSchema = { type: "string" }) => ({
    name,
    in: "header",
    required: true,
    description,
    schema,
    example: value,
  })
  return [
    header("User-Agent", "The platform's name and the API version.", `Tenancy-Webhooks/${API_VERSION}`),
    header("X-Tenancy-Event", "The event.", type, { type: "string", const: type }),
    header("X-Tenancy-Delivery", "Equals the payload's `id`.", example.id),
    header("X-Tenancy-Signature", "`t=<unix seconds>,v1=<hex>`.", `t=${SENT_AT},v1=${signature}`),
    header("webhook-id", "Equals the payload's `id`.", example.id),
    header("webhook-timestamp", "Unix seconds.", String(SENT_AT)),
    header("webhook-signature", "`v1,<base64>` of Standard Webhooks.", `v1,${standard}`),
  ]
}
