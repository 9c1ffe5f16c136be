// Renders a form that a passkey fills in. It stays hidden unless the script runs and the browser supports passkeys.
import type { PropsWithChildren } from "hono/jsx"
import type { PasskeyRequest } from "../core/auth/passkeys"
import { ulid } from "../lib/ulid"
import { FormContext, useView } from "./view"

interface PasskeyProps {
  action: string
  request: PasskeyRequest
  submitLabel: string
  /** Shown when the browser provides no passkey. */
  failedText: string
  /** Whether the form has an idempotency key, which only forms of a session have. */
  hasKey?: boolean
  /** The account to register a passkey for; absent when an existing passkey signs in. */
  owner?: { id: number; email: string; name: string }
  isSecondary?: boolean
}

const ASSERTION_FIELDS = ["passkey_id", "passkey_client_data", "passkey_authenticator_data", "passkey_signature"]
const ATTESTATION_FIELDS = ["credential_id", "client_data", "authenticator_data", "public_key", "algorithm"]

export function PasskeyForm({
  action,
  request,
  submitLabel,
  failedText,
  hasKey,
  owner,
  isSecondary,
  children,
}: PropsWithChildren<PasskeyProps>) {
  const { now, path, state } = useView()
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
      {hasKey && <input type="hidden" name="once" value={ulid(now)} />}
      {(owner ? ATTESTATION_FIELDS : ASSERTION_FIELDS).map((name) => (
        <input type="hidden" name={name} value="" />
      ))}
      <FormContext.Provider value={state && path === action ? state : undefined}>{children}</FormContext.Provider>
      <button type="submit" data-quiet={isSecondary || undefined}>
        {submitLabel}
      </button>
      <p class="field-error" role="alert" hidden>
        {failedText}
      </p>
    </form>
  )
}
