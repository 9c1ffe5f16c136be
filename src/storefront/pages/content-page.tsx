// A page of the shop's own: about, terms, visiting hours.
import { Frame } from "../components/frame"
import type { Page } from "../data"
import type { Sheet } from "../layout"
import { paths } from "../paths"
import { excerpt, richText } from "../text/rich-text"
import type { View } from "../view"

export function contentPage(_view: View, { page }: Extract<Page, { kind: "page" }>): Sheet {
  return {
    meta: {
      title: page.name,
      description: excerpt(page.description ?? page.content, 160),
      path: paths.page(page.slug),
      image: page.image,
    },
    section: paths.page(page.slug),
    body: (
      <article class="article shell narrow">
        <h1>{page.name}</h1>
        {page.description && <p class="lede">{excerpt(page.description, 400)}</p>}
        {page.image && <Frame name={page.name} image={page.image} format="wide" eager />}
        <div class="prose">{richText(page.content)}</div>
      </article>
    ),
  }
}
