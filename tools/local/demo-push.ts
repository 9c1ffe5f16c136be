// Runs the mock push provider on loopback. `npm start -- --demo-push` starts it and configures the central site for it,
// so that push notifications can be tried on fake devices.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { createSeeder } from "../seed/seeder.ts"
import { createPushProvider } from "./push-provider.ts"

/** Demo devices; the prefix of a token selects the provider's response. */
const PHONES = [
  { token: "phone-of-ada", platform: "android" },
  { token: "phone-of-ben", platform: "ios" },
  { token: "tablet-of-cleo", platform: "android" },
  { token: "slow-phone-of-dan", platform: "ios" },
  { token: "unregistered-phone-of-eve", platform: "android" },
]

interface DemoPush {
  /** Value for FCM_BASE_URL. */
  url: string
  /**
   * Configures the central site for the mock, and registers the demo devices.
   * @param base URL of the Worker
   */
  setUp(base: string, operatorToken: string): Promise<void>
  close(): void
}

/** Starts the mock provider on a free port. */
export async function startDemoPush(): Promise<DemoPush> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = await createPushProvider(url)
  server.on("request", (request, response) => {
    handleRequest(request, response).catch((error) => {
      console.error(`Demo push: ${error}`)
      response.writeHead(500).end()
    })
  })

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const result = await provider.respond(toWebRequest(url, request))
    for (const { token, notification, data } of provider.accepted.splice(0)) {
      console.log(
        `Demo push: ${token} shows "${notification.title}: ${notification.body}" ${data.action_url}`.trimEnd(),
      )
    }
    if (!result.ok) console.log(`Demo push: returned status ${result.status}.`)
    response.writeHead(result.status, Object.fromEntries(result.headers)).end(await result.text())
  }

  return {
    url,
    close: () => server.close(),
    async setUp(base, operatorToken) {
      const seeder = createSeeder(base, operatorToken, "")
      await seeder.operator("push:settings", { enabled: true, service_account: provider.serviceAccount })
      for (const phone of PHONES) await seeder.content("POST", "/device-tokens", phone)
      console.log(
        `Demo push: ${PHONES.length} devices registered. Try: npm run operator -- api:send-notification --title=Hello --message=World`,
      )
    },
  }
}

const toWebRequest = (base: string, request: IncomingMessage): Request =>
  new Request(new URL(request.url ?? "/", base), {
    method: request.method ?? "GET",
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    ...(request.method === "POST" && { body: Readable.toWeb(request), duplex: "half" }),
  } as RequestInit)
