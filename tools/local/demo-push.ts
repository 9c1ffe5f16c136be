// The stand-in for the push provider on loopback. `npm start -- --demo-push` runs it and sets the central site up for it, so that a newcomer
// sends a notification and watches it arrive on made-up phones.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { createSeeder } from "../seed/seeder.ts"
import { createPushProvider } from "./push-provider.ts"

/** Phones of the demo; what their tokens begin with is how the provider answers. */
const PHONES = [
  { token: "phone-of-ada", platform: "android" },
  { token: "phone-of-ben", platform: "ios" },
  { token: "tablet-of-cleo", platform: "android" },
  { token: "slow-phone-of-dan", platform: "ios" },
  { token: "unregistered-phone-of-eve", platform: "android" },
]

interface DemoPush {
  /** The address for FCM_BASE_URL. */
  url: string
  /**
   * Sets the central site up for it, and registers the demo's phones.
   * @param base URL of the Worker
   */
  setUp(base: string, operatorToken: string): Promise<void>
  close(): void
}

/** Starts the stand-in on a port of its own. */
export async function startDemoPush(): Promise<DemoPush> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await createPushProvider(url)
  server.on("request", (request, response) => {
    answer(request, response).catch((error) => {
      console.error(`Demo push: ${error}`)
      response.writeHead(500).end()
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = await provider.answer(asRequest(url, request))
    for (const { token, notification, data } of provider.accepted.splice(0)) {
      console.log(
        `Demo push: ${token} shows "${notification.title}: ${notification.body}" ${data.action_url}`.trimEnd(),
      )
    }
    if (!given.ok) console.log(`Demo push: answered ${given.status}.`)
    response.writeHead(given.status, Object.fromEntries(given.headers)).end(await given.text())
  }

  return {
    url,
    close: () => server.close(),
    async setUp(base, operatorToken) {
      const seeder = createSeeder(base, operatorToken, "")
      await seeder.operator("push:settings", { enabled: true, service_account: provider.serviceAccount })
      for (const phone of PHONES) await seeder.content("POST", "/device-tokens", phone)
      console.log(
        `Demo push: ${PHONES.length} phones wait for npm run operator -- api:send-notification --title=Hello --message=World`,
      )
    },
  }
}

const asRequest = (base: string, request: IncomingMessage): Request =>
  new Request(new URL(request.url ?? "/", base), {
    method: request.method ?? "GET",
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    ...(request.method === "POST" && { body: Readable.toWeb(request), duplex: "half" }),
  } as RequestInit)
