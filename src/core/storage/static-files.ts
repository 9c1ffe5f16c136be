// Reads the files of assets/, which are deployed with the Worker's code as its static assets. Clients cannot request
// them: every request runs the Worker (`run_worker_first`), so that no file appears on the hosts of stores.
import { binding } from "../../bindings"
import type { Bindings } from "../../env"
import { Refusal } from "../http/refusal"

const RETRY_SECONDS = 3

/**
 * Opens a file.
 * @param path relative to assets/
 * @throws Refusal `temporarily_unavailable` when the files cannot be read now
 */
export async function openStaticFile(env: Bindings, path: string): Promise<Response> {
  const response = await binding(env, "ASSETS")
    .fetch(`https://assets/${path}`)
    .catch(() => null)
  if (response?.ok) return response
  if (response && response.status < 500) throw new Error(`assets/${path} was not deployed: status ${response.status}`)
  throw new Refusal("temporarily_unavailable", { retryAfter: RETRY_SECONDS })
}
