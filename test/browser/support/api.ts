// What a journey needs to be there before it begins, made through the platform's own APIs.
import { setTimeout as sleep } from "node:timers/promises"
import { callApi } from "../../../tools/lib/api.ts"
import { base, platform } from "./browser.ts"

const key = platform.platform?.write_key ?? ""

/** Calls the control plane. */
const api = <Data>(method: string, path: string, body?: object): Promise<Data> =>
  callApi<Data>(base, key, method, `/api/platform/v1${path}`, body)

/** Runs an operator's command. */
export const command = <Data>(name: string, options: object = {}): Promise<Data> =>
  callApi<Data>(base, platform.operator_token, "POST", `/api/operator/v1/${name}`, options)

/** A store that is ready, under that id. */
export async function makeStore(id: string, given: object = {}): Promise<string> {
  const owner = { owner_email: `${id}@example.com`, password: "a long enough one" }
  await api("POST", "/stores", { subdomain: id, name: `Walk ${id}`, ...owner, ...given })
  await untilReady(id)
  return id
}

/** Waits until a store is provisioned. */
export async function untilReady(id: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++, await sleep(100)) {
    const { status } = await api<{ status: string }>("GET", `/stores/${id}`)
    if (status === "ready") return
  }
  throw new Error(`The store ${id} is not ready.`)
}
