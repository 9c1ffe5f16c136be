// Creates test data for journeys through the platform's APIs.
import { Tenancy } from "../../../src/client/index.ts"
import { callApi } from "../../../tools/lib/api.ts"
import { base, platform } from "./browser.ts"

const key = platform.platform?.write_key ?? ""

/** Calls the control plane. */
const api = <Data>(method: string, path: string, body?: object): Promise<Data> =>
  callApi<Data>(base, key, method, `/api/platform/v1${path}`, body)

/** Runs an operator command. */
export const runCommand = <Data>(name: string, options: object = {}): Promise<Data> =>
  callApi<Data>(base, platform.operator_token, "POST", `/api/operator/v1/${name}`, options)

/** Creates a store and waits until it is ready. */
export async function createStore(id: string, params: object = {}): Promise<string> {
  const owner = { owner_email: `${id}@example.com`, password: "a long enough one" }
  await api("POST", "/stores", { subdomain: id, name: `Walk ${id}`, ...owner, ...params })
  await waitUntilReady(id)
  return id
}

/** Waits until a store is provisioned. */
export async function waitUntilReady(id: string): Promise<void> {
  await new Tenancy({ baseUrl: base, key }).stores.waitUntil(id, "ready")
}

/** Enables an app of a store. */
export const enableApp = (store: string, slug: string): Promise<unknown> =>
  api("POST", `/stores/${store}/apps/${slug}/enable`)
