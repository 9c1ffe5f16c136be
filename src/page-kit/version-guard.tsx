// Protects what others changed since an edit form was shown: a hidden field has the version that the form shows.
import type { Form } from "../core/http/body"
import type { Precondition } from "../core/http/precondition"
import { Refusal } from "../core/http/refusal"
import type { FormState } from "./form-state"
import { FormContext } from "./view"

const SHOWN_VERSION = "shown_version"

const readShown = (form: Form | undefined): string | undefined => form?.get(SHOWN_VERSION)?.at(-1)

/** The version that an edit form shows. A refused or restored form retains the one that it was made from. */
export const ShownVersion = ({ version }: { version: string }) => (
  <input type="hidden" name={SHOWN_VERSION} value={readShown(FormContext.use()?.values) ?? version} />
)

interface VersionGuard {
  /** @throws Refusal `precondition_failed` when the form shows another version */
  assertUnchanged: Precondition
  /** Makes a form that `assertUnchanged` refused overwrite the current version when it is sent again. */
  refresh: (state: FormState) => FormState
}

/** Compares the version that a submitted form shows with the current one. A form without a version passes. */
export function createVersionGuard(form: Form): VersionGuard {
  const shown = readShown(form)
  let current: string | undefined
  return {
    assertUnchanged(...versions) {
      if (!shown || versions.includes(shown)) return
      current = versions[0]
      throw new Refusal("precondition_failed")
    },
    refresh: (state) =>
      current === undefined ? state : { ...state, values: new Map([...state.values, [SHOWN_VERSION, [current]]]) },
  }
}
