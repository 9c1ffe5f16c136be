// The page for an address that a shop does not have.
import type { Sheet } from "../layout"
import { HOME } from "../paths"
import type { View } from "../view"

export function notFound({ words }: View): Sheet {
  return {
    meta: { title: words.notFound, description: words.notFoundHint, path: null },
    body: (
      <div class="notice shell">
        <p class="code">404</p>
        <h1>{words.notFound}</h1>
        <p class="lede">{words.notFoundHint}</p>
        <div>
          <a class="button" href={HOME}>
            {words.backHome}
          </a>
        </div>
      </div>
    ),
  }
}
