// A webhook receiver on http://localhost:3000: `WEBHOOK_SECRET=whsec_… npx node examples/receiver.ts`.
// Responds once the event is handled. The same event may arrive again; its id identifies duplicates.
import { createServer } from "node:http"
import { verifyWebhook, WebhookVerificationError } from "../src/client/index.ts"

const secret = process.env.WEBHOOK_SECRET
if (!secret) throw new Error("Set WEBHOOK_SECRET to the endpoint's signing secret.")

/** IDs of handled events; store them in a database in production. */
const handled = new Set<string>()

createServer(async (request, response) => {
  const chunks: Uint8Array[] = await request.toArray()
  try {
    // Verify the raw body; a parsed and re-serialized body would not match the signature.
    const event = await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, secret)
    if (!handled.has(event.id)) {
      handled.add(event.id)
      if (event.type === "store.ready") console.log(`${event.data.store.name} is open at ${event.data.store.root_url}`)
      else console.log(event.type, event.id)
    }
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    console.warn(`Rejected: ${error.message}`)
    response.writeHead(401).end(error.code)
  }
}).listen(3000, () => console.log("Listening on http://localhost:3000"))
