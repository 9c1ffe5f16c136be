// The scopes of API keys. `read` and `write` cover every resource; `stores:read` covers one. The resource of a request
// is the first segment of its path. Paths of other segments are open to every key with a scope for the action.
import {
  type Action,
  type ApiKey,
  SCOPED_RESOURCES,
  type Scope,
  type ScopedResource,
} from "../../db/schema/central/keys"

/** Scopes that a key limited to some stores may have: nothing else is limited by store. */
const STORE_SCOPES: readonly Scope[] = ["stores:read", "stores:write", "events:read", "plans:read"]

/** Returns the action that a method requires: `read` for GET, HEAD and OPTIONS, `write` for all others. */
export const getAction = (method: string): Action => (["GET", "HEAD", "OPTIONS"].includes(method) ? "read" : "write")

/**
 * Returns the scopes of which a request requires one, the narrowest first.
 * @param path below the base of the API
 */
function listAcceptedScopes(method: string, path: string): readonly [Scope, ...Scope[]] {
  const action = getAction(method)
  const segment = path.split("/")[1]
  const resource = SCOPED_RESOURCES.find((name) => name === segment)
  if (resource) return [toScope(resource, action), action]
  // `/platform`, `/me` and unknown paths belong to no resource: every key that may read anything may read them.
  return [action, ...SCOPED_RESOURCES.map((name) => toScope(name, action))]
}

const toScope = (resource: ScopedResource, action: Action): Scope => `${resource}:${action}`

/**
 * Returns the scope that a key lacks for a request; null if it has one that suffices.
 * @param path below the base of the API
 */
export function findMissingScope({ scopes }: Pick<ApiKey, "scopes">, method: string, path: string): Scope | null {
  const accepted = listAcceptedScopes(method, path)
  if (accepted.some((scope) => scopes.includes(scope))) return null
  return scopes.some((scope) => scope.includes(":")) ? accepted[0] : getAction(method)
}

/** Returns a scope that a key would grant without having it; null if there is none. */
export const findUngrantableScope = ({ scopes }: Pick<ApiKey, "scopes">, granted: readonly Scope[]): Scope | null =>
  granted.find((scope) => !scopes.includes(scope) && !scopes.includes(scope.split(":")[1] as Scope)) ?? null

/** Whether a key that is limited to some stores may have these scopes. */
export const areStoreScopes = (scopes: readonly Scope[]): boolean =>
  scopes.every((scope) => STORE_SCOPES.includes(scope))
