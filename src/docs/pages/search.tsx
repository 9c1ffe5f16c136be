// The page of search results.
import type { SearchEntry } from "../search"

export const SearchPage = ({ query, results }: { query: string; results: SearchEntry[] }) => (
  <div class="prose">
    <h1>{query ? `Results for “${query}”` : "Search"}</h1>
    {query && <p class="lead">{countResults(results.length)}</p>}
    <div class="results">
      {results.map(({ name, href, summary }) => (
        <a href={href}>
          <code>{name}</code> {summary}
        </a>
      ))}
    </div>
  </div>
)

function countResults(count: number): string {
  if (count === 0) return "No results. Try fewer words, a path, an error code or an event type."
  return count === 1 ? "1 result" : `${count} results`
}
