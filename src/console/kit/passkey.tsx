// A form that a passkey fills in. It needs a script, so it is shown only where one runs and the browser knows passkeys.
import type { PropsWithChildren } from "hono/jsx"
import { ulid } from "../../lib/ulid"
import type { PasskeyRequest } from "../../platform/operators/passkeys"
import { W } from "../strings"
import { FormContext, useView } from "./view"

interface PasskeyProps {
  action: string
  request: PasskeyRequest
  /** What the button says. */
  submit: string
  /** Whose key is made; absent where one that was made is to be shown. */
  owner?: { id: number; email: string; name: string }
  quiet?: boolean
}

const SHOWN = ["passkey_id", "passkey_client_data", "passkey_authenticator_data", "passkey_signature"]
const MADE = ["credential_id", "client_data", "authenticator_data", "public_key", "algorithm"]

export function Passkey({ action, request, submit, owner, quiet, children }: PropsWithChildren<PasskeyProps>) {
  const { now, operator, path, state } = useView()
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
      {(owner ? MADE : SHOWN).map((name) => (
        <input type="hidden" name={name} value="" />
      ))}
      <FormContext.Provider value={state && path === action ? state : undefined}>{children}</FormContext.Provider>
      <button type="submit" data-quiet={quiet || undefined}>
        {submit}
      </button>
      <p class="fault" role="alert" hidden>
        {W.account.passkey_failed}
      </p>
    </form>
  )
}
