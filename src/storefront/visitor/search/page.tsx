// Serves the search of a store's products, posts and pages.
import type { Child } from "hono/jsx"
import { availableApps } from "../../../apps/registry"
import { Search } from "../../../content/search/schemas"
import { search } from "../../../content/search/service"
import { localize } from "../../../core/i18n/locale"
import { Message } from "../../components/form"
import { SearchField } from "../../components/search-field"
import type { Page } from "../../part"
import { JOURNAL, PAGES, singlePath } from "../../paths"
import { excerpt } from "../../text/rich-text"
import type { View } from "../../view"
import type { Visit, VisitorPage } from "../page"

const RESULTS = localize(
  "Results for “:term”",
  "Resultados de «:term»",
  "Résultats pour « :term »",
  "Kết quả cho “:term”",
)
const NOTHING = localize(
  "Nothing found.",
  "No se ha encontrado nada.",
  "Aucun résultat.",
  "Không tìm thấy kết quả nào.",
)
const TOO_LONG = localize(
  "Search for at most 200 characters.",
  "Busque como máximo 200 caracteres.",
  "Saisissez au plus 200 caractères.",
  "Hãy tìm tối đa 200 ký tự.",
)
const PRODUCTS = localize("Products", "Productos", "Produits", "Sản phẩm")
const POSTS = localize("Posts", "Entradas", "Articles", "Bài viết")
const PAGE_NAMES = localize("Pages", "Páginas", "Pages", "Trang")

type Results = Awaited<ReturnType<typeof search>>

export const searchPage: VisitorPage = {
  path: "search",
  async get(visit) {
    const term = (visit.url.searchParams.get("q") ?? "").trim()
    const input = Search.safeParse({ q: term })
    if (!input.success) return visit.render(renderSearch(term.slice(0, 200), null, true), 422)
    const [found] = await Promise.all([find(visit, input.data.q), visit.read([])])
    return visit.render(renderSearch(term, term ? found : null))
  },
}

/** Finds with the product search of the store's apps. */
async function find({ ctx }: Visit, term: string): Promise<Results> {
  const enabled = ctx.site.store?.apps ?? []
  const app = availableApps.find(({ slug, searchProducts }) => searchProducts && enabled.includes(slug))
  return search(ctx, term, (await app?.searchProducts?.()) ?? null)
}

/** @param results null before a term was entered */
const renderSearch =
  (term: string, results: Results | null, isTooLong = false): Page =>
  (view) => {
    const title = results ? view.translate(RESULTS).replace(":term", () => term) : view.strings.search
    const isEmpty = results && !results.products.length && !results.posts.length && !results.pages.length
    return {
      meta: { title, description: "", path: null },
      body: (
        <div class="search-page section shell narrow">
          <h1>{title}</h1>
          <SearchField view={view} term={term} hasButton />
          {isTooLong && (
            <Message isError>
              <p>{view.translate(TOO_LONG)}</p>
            </Message>
          )}
          {isEmpty && <p class="lede">{view.translate(NOTHING)}</p>}
          {results && <ResultLists view={view} results={results} />}
        </div>
      ),
    }
  }

function ResultLists({ view, results: { products, posts, pages } }: { view: View; results: Results }) {
  return (
    <>
      <ResultList
        title={view.translate(PRODUCTS)}
        items={products.map(({ slug, name, price_cents, currency }) => ({
          href: singlePath("products", slug),
          name,
          detail: view.formatPrice(price_cents, currency),
        }))}
      />
      <ResultList
        title={view.translate(POSTS)}
        items={posts.map(({ slug, name, description }) => ({
          href: singlePath(JOURNAL, slug),
          name,
          detail: excerpt(description, 160),
        }))}
      />
      <ResultList
        title={view.translate(PAGE_NAMES)}
        items={pages.map(({ slug, name, description }) => ({
          href: singlePath(PAGES, slug),
          name,
          detail: excerpt(description, 160),
        }))}
      />
    </>
  )
}

function ResultList({ title, items }: { title: string; items: { href: string; name: string; detail: Child }[] }) {
  if (!items.length) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul class="results">
        {items.map(({ href, name, detail }) => (
          <li key={href}>
            <a class="more" href={href}>
              {name}
            </a>
            <p class="quiet">{detail}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
