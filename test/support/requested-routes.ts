// Finds the routes that a test's requests reach, by their method and path.
import { TrieRouter } from "hono/router/trie-router"
import { listRoutes, type SurfaceRoute } from "./surfaces"

declare module "vitest" {
  interface TaskMeta {
    /** `<method> <path>` of the routes that the test requested. */
    requestedRoutes?: string[]
    /** Every route, listed by one test for the table of attacks. */
    routes?: SurfaceRoute[]
  }
}

/** `<method> <path>` of the running test's requests. */
const requests = new Set<string>()

let router: Promise<TrieRouter<string>> | undefined

export const recordRequest = (method: string, path: string): void => void requests.add(`${method} ${path}`)

export const clearRequests = (): void => requests.clear()

/** Lists the routes that were requested since the last `clearRequests`. */
export async function listRequestedRoutes(): Promise<string[]> {
  router ??= createRouter()
  const found = await router
  const names = [...requests].flatMap((request) => {
    const [method = "", path = ""] = request.split(" ")
    // The app calls the first handler that matches.
    const [[first] = []] = found.match(method, path)
    return first ? [first[0]] : []
  })
  return [...new Set(names)]
}

async function createRouter(): Promise<TrieRouter<string>> {
  const created = new TrieRouter<string>()
  for (const { method, path } of await listRoutes()) created.add(method, path, `${method} ${path}`)
  return created
}
