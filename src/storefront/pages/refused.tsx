// Page of a refused form: why, and the way back.
import type { Page } from "../part"
import { HOME } from "../paths"

/** @param reason in the visitor's language */
export const renderFormRefused =
  (reason: string): Page =>
  ({ strings }) => ({
    meta: { title: strings.refused, description: "", path: null },
    body: (
      <div class="notice shell">
        <h1>{strings.refused}</h1>
        <p class="lede">{reason}</p>
        <div>
          <a class="button" href={HOME}>
            {strings.backHome}
          </a>
        </div>
      </div>
    ),
  })
