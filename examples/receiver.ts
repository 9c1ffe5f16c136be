// A webhook receiver on http://localhost:3000: `WEBHOOK_SECRET=whsec_… npx node examples/receiver.ts`.
// It answers once it has written down what came; the same event may come again, and is known by its id.
import { createServer } from "node:http"
import { verifyWebhook, WebhookVerificationError } from "../src/client/index.ts"

const secret = process.env.WEBHOOK_SECRET
if (!secret) throw new Error("WEBHOOK_SECRET is the secret that the endpoint was created with.")

/** Events that were handled; a receiver that must survive a restart keeps them in its database. */
const handled = new Set<string>()

createServer(async (request, response) => {
  const chunks: Uint8Array[] = await request.toArray()
  try {
    // The body as it came: what a JSON parser made of it can no longer be verified.
    const event = await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, secret)
    if (!handled.has(event.id)) {
      handled.add(event.id)
      if (event.type === "store.ready") console.log(`${event.data.store.name} is open at ${event.data.store.root_url}`)
      else console.log(event.type, event.id)
    }
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    console.warn(`Refused: ${error.message}`)
    response.writeHead(401).end(error.code)
  }
}).listen(3000, () => console.log("Listening on http://localhost:3000"))
