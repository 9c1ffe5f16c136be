// Checks and finds free TCP ports on this machine.
import { createServer } from "node:net"

/** The loopback addresses that "localhost" may resolve to. */
const LOOPBACK_ADDRESSES = ["127.0.0.1", "::1"]

/** Returns why the port is unavailable (`EADDRINUSE`, `EACCES`), or null when it is free. */
export async function getPortError(port: number): Promise<string | null> {
  for (const address of LOOPBACK_ADDRESSES) {
    const error = await tryListening(port, address)
    if (error === "EADDRINUSE" || error === "EACCES") return error
  }
  return null
}

/** Finds a free port. */
export function findFreePort(): Promise<number> {
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

/** Tries to listen on one address; returns the error code, or null on success. */
function tryListening(port: number, address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"))
    server.listen(port, address, () => server.close(() => resolve(null)))
  })
}
