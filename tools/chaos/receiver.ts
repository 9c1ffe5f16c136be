// A webhook receiver with its own certificate, in a process that survives the kills of the platform.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { verifyWebhook } from "../../src/client/verify-webhook.ts"
import { UserError } from "../lib/project.ts"

/** Requests to one path: how often each event was received, and verification errors. */
export interface Inbox {
  secret: string
  receivedCounts: Map<string, number>
  errors: string[]
}

export interface Receiver {
  /** File with its certificate. */
  certificate: string
  /** Opens a path. @param answer the status of each answer */
  open(path: string, answer: () => number): { url: string; inbox: Inbox }
  close(): void
}

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
  const paths = new Map<string, { inbox: Inbox; answer: () => number }>()
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    async (request, response) => {
      const path = paths.get(request.url ?? "")
      const body = await text(request).catch(() => null)
      // The platform was killed while it sent the request.
      if (!path || body === null) return void response.destroy()
      const { inbox, answer: getStatus } = path
      const status = getStatus()
      try {
        await verifyWebhook({ headers: request.headers, body }, inbox.secret)
        const { id } = JSON.parse(body)
        if (status < 300) inbox.receivedCounts.set(id, (inbox.receivedCounts.get(id) ?? 0) + 1)
      } catch (cause) {
        inbox.errors.push(String(cause))
      }
      response.writeHead(status).end()
    },
  ).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    certificate,
    open(path, answer) {
      const inbox: Inbox = { secret: "", receivedCounts: new Map(), errors: [] }
      paths.set(path, { inbox, answer })
      return { url: `https://127.0.0.1:${port}${path}`, inbox }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
