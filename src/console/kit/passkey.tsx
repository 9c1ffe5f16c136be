// Renders a form that a passkey fills in. It stays hidden unless the script runs and the browser supports passkeys.
import type { PropsWithChildren } from "hono/jsx"
import { ulid } from "../../lib/ulid"
import { FormContext } from "../../page-kit/view"
import type { PasskeyRequest } from "../../platform/operators/passkeys"
import { W } from "../strings"
import { useConsoleView } from "./view"

interface PasskeyProps {
  action: string
  request: PasskeyRequest
  submitLabel: string
  /** The operator to register a passkey for; absent when an existing passkey signs in. */
  owner?: { id: number; email: string; name: string }
  isSecondary?: boolean
}

const ASSERTION_FIELDS = ["passkey_id", "passkey_client_data", "passkey_authenticator_data", "passkey_signature"]
const ATTESTATION_FIELDS = ["credential_id", "client_data", "authenticator_data", "public_key", "algorithm"]

export function PasskeyForm({
  action,
  request,
  submitLabel,
  owner,
  isSecondary,
  children,
}: PropsWithChildren<PasskeyProps>) {
  const { now, operator, path, state } = useConsoleView()
  return (
    <form
      method="post"
      action={action}
      hidden
      data-passkey={owner ? "create" : "get"}
      data-challenge={request.challenge}
      data-rp={request.rpId}
      data-owner={owner && JSON.stringify({ id: String(owner.id), name: owner.email, displayName: owner.name })}
    >
      {operator && <input type="hidden" name="once" value={ulid(now)} />}
      {(owner ? ATTESTATION_FIELDS : ASSERTION_FIELDS).map((name) => (
        <input type="hidden" name={name} value="" />
      ))}
      <FormContext.Provider value={state && path === action ? state : undefined}>{children}</FormContext.Provider>
      <button type="submit" data-quiet={isSecondary || undefined}>
        {submitLabel}
      </button>
      <p class="field-error" role="alert" hidden>
        {W.account.passkey_failed}
      </p>
    </form>
  )
}
