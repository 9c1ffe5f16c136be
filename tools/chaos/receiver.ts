// A receiver of webhooks and alerts with its own certificate, in a process that survives the kills of the platform.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { verifyWebhook } from "../../src/client/verify-webhook.ts"
import { UserError } from "../lib/project.ts"

/** Requests to one path: how often each event was received and when, and verification errors. */
export interface Inbox {
  secret: string
  receivedCounts: Map<string, number>
  /** Accepted requests in the order of their arrival; `at` in milliseconds. */
  arrivals: { id: string; at: number }[]
  errors: string[]
}

/** An alert, as `TENANCY_ALERT_WEBHOOK_URL` receives it. */
export interface Alert {
  id: string
  alert: string
  state: "firing" | "recovered"
}

export interface Receiver {
  /** File with its certificate. */
  certificate: string
  /**
   * Opens a path.
   * @param getStatus returns the status of each response
   * @param cursor the `webhook-cursor` of each response; none by default
   */
  open(path: string, getStatus: () => number, cursor?: () => string | undefined): { url: string; inbox: Inbox }
  /** Opens a path for alerts. */
  openAlerts(): { url: string; alerts: Alert[] }
  close(): void
}

type Answer = [status: number, headers: { "webhook-cursor"?: string }]

/**
 * Starts a receiver.
 * @param directory stores its key
 * @throws UserError without the command `openssl`
 */
export async function startReceiver(directory: string): Promise<Receiver> {
  const [key, certificate] = [join(directory, "key.pem"), join(directory, "certificate.pem")]
  const { status } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=receiver", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
  ])
  if (status !== 0) throw new UserError("The receiver's certificate requires the openssl command.")
  /** Handles the requests to each path; returns the status of the response, and its headers. */
  const paths = new Map<string, (headers: IncomingHttpHeaders, body: string) => Answer | Promise<Answer>>()
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    async (request, response) => {
      const receive = paths.get(request.url ?? "")
      const body = await text(request).catch(() => null)
      // The platform was killed while it sent the request.
      if (!receive || body === null) return void response.destroy()
      const [status, answerHeaders] = await receive(request.headers, body)
      response.writeHead(status, answerHeaders).end()
    },
  ).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const urlOf = (path: string) => `https://127.0.0.1:${port}${path}`
  return {
    certificate,
    open(path, getStatus, cursor) {
      const inbox: Inbox = { secret: "", receivedCounts: new Map(), arrivals: [], errors: [] }
      paths.set(path, async (headers, body) => {
        const status = getStatus()
        // The newest event before this one.
        const reported = cursor?.()
        try {
          await verifyWebhook({ headers, body }, inbox.secret)
          const { id } = JSON.parse(body)
          if (status < 300) {
            inbox.receivedCounts.set(id, (inbox.receivedCounts.get(id) ?? 0) + 1)
            inbox.arrivals.push({ id, at: performance.now() })
          }
        } catch (cause) {
          inbox.errors.push(String(cause))
        }
        return [status, reported === undefined ? {} : { "webhook-cursor": reported }]
      })
      return { url: urlOf(path), inbox }
    },
    openAlerts() {
      const alerts: Alert[] = []
      paths.set("/alerts", (_, body) => {
        alerts.push(JSON.parse(body))
        return [204, {}]
      })
      return { url: urlOf("/alerts"), alerts }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
