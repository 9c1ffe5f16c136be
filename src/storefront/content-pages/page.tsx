// Content page written by staff, such as "About us" or terms of service.
import { Frame } from "../components/frame"
import type { ContentPage } from "../data"
import type { Page } from "../part"
import { PAGES, singlePath } from "../paths"
import { excerpt, richText } from "../text/rich-text"

export function renderContentPage(page: ContentPage): Page {
  const path = singlePath(PAGES, page.slug)
  return () => ({
    meta: {
      title: page.name,
      description: excerpt(page.description ?? page.content, 160),
      path,
      image: page.image,
    },
    section: path,
    body: (
      <article class="article shell narrow">
        <h1>{page.name}</h1>
        {page.description && <p class="lede">{excerpt(page.description, 400)}</p>}
        {page.image && <Frame name={page.name} image={page.image} format="wide" eager />}
        <div class="prose">{richText(page.content)}</div>
      </article>
    ),
  })
}
