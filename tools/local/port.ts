// TCP ports on this machine: is one free, and which one is.
import { createServer } from "node:net"

/** The loopback addresses that "localhost" may mean. */
const addresses = ["127.0.0.1", "::1"]

/** Why `port` cannot be listened on (`EADDRINUSE`, `EACCES`), or null when it can. */
export async function portFault(port: number): Promise<string | null> {
  for (const address of addresses) {
    const fault = await tryListening(port, address)
    if (fault === "EADDRINUSE" || fault === "EACCES") return fault
  }
  return null
}

/** A port that nobody listens on right now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no address")),
      )
    })
  })
}

/** The error code of listening on `port` of one address, or null. An address this machine does not have is nobody's. */
function tryListening(port: number, address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"))
    server.listen(port, address, () => server.close(() => resolve(null)))
  })
}
