// A webhook receiver on http://localhost:3000: `WEBHOOK_SECRET=whsec_… npx node examples/receiver.ts`.
// Verifies and stores each event, responds, and then handles it. Events that a crash interrupted are handled at startup.
// EVENTS_FILE and PORT replace the defaults.
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type TenancyEvent, verifyWebhook, WebhookVerificationError } from "../src/client/index.ts"

const secret = process.env.WEBHOOK_SECRET
if (!secret) throw new Error("Set WEBHOOK_SECRET to the endpoint's signing secret.")

const db = new DatabaseSync(process.env.EVENTS_FILE ?? join(tmpdir(), "tenancy-events.sqlite"))
db.exec("create table if not exists events (id text primary key, payload text not null, handled_at text)")

/** Stores an event. One that is already stored is a duplicate, and stays as it is. */
function store(event: TenancyEvent): void {
  db.prepare("insert or ignore into events (id, payload) values (?, ?)").run(event.id, JSON.stringify(event))
}

/** Handles the stored events in the order of their ids. After a crash, the last one may be handled again. */
function handleStored(): void {
  const rows = db.prepare("select id, payload from events where handled_at is null order by id").all()
  for (const { id, payload } of rows) {
    handle(JSON.parse(String(payload)))
    db.prepare("update events set handled_at = ? where id = ?").run(new Date().toISOString(), String(id))
  }
}

/** The work. Here, it prints the event. */
function handle(event: TenancyEvent): void {
  if (event.type === "store.ready") console.log(`${event.data.store.name} is open at ${event.data.store.root_url}`)
  else console.log(event.type, event.id)
}

handleStored()

const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = await request.toArray()
  try {
    // Verify the raw body; a parsed and re-serialized body would not match the signature.
    store(await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, secret))
    response.writeHead(204).end()
    setImmediate(handleStored)
  } catch (error) {
    // After a 500, the platform sends the event again.
    const isForged = error instanceof WebhookVerificationError
    console.warn(isForged ? `Rejected: ${error.message}` : error)
    response.writeHead(isForged ? 400 : 500).end()
  }
})
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`Listening on http://localhost:${Object(server.address()).port}`)
})
