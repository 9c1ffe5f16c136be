// Identifies everything but the content that a cached response depends on: the code that renders it, and the settings.
import { createHash } from "node:crypto"
import { type Bindings, deployedVersion, settingsOf } from "../../env"
import { isolateState } from "../../lib/isolate-state"

/**
 * A hash of the code that renders cached responses. A deployment defines it (tools/deploy/fingerprint.ts); local
 * development and tests do not.
 */
declare const RENDERING_HASH: string | undefined

/** Secrets appear in no response, and change without a deployment. */
const SECRET = /KEY|TOKEN|SECRET/

const renderingIds = isolateState(() => new WeakMap<Bindings, string>())

/**
 * Returns the identity of the rendering. It stays the same for a new version of the Worker that renders the same, such
 * as one with another secret, so cached responses stay valid. Without a hash of the code, it changes with every
 * version.
 */
export function renderingId(env: Bindings): string {
  const found = renderingIds.current.get(env)
  if (found) return found
  const code = typeof RENDERING_HASH === "undefined" ? deployedVersion(env) : RENDERING_HASH
  // All of them, so that no page can show a setting that is missing here.
  const settings = Object.entries(settingsOf(env)).filter(([name]) => !SECRET.test(name))
  const id = `${code}.${createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 8)}`
  renderingIds.current.set(env, id)
  return id
}
