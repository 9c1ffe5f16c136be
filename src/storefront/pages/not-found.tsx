// 404 page of a shop.
import type { PageContent } from "../layout"
import { HOME } from "../paths"
import type { View } from "../view"

export function renderNotFound({ strings }: View): PageContent {
  return {
    meta: { title: strings.notFound, description: strings.notFoundHint, path: null },
    body: (
      <div class="notice shell">
        <p class="code">404</p>
        <h1>{strings.notFound}</h1>
        <p class="lede">{strings.notFoundHint}</p>
        <div>
          <a class="button" href={HOME}>
            {strings.backHome}
          </a>
        </div>
      </div>
    ),
  }
}
