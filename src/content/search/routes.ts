// The route of the search.
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { cacheResponse } from "../blog/caching"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { Search, SearchResults } from "./schemas"
import { type SearchProducts, search } from "./service"

/**
 * Creates the route.
 * @param findProductSearch returns the product search of a site's enabled apps
 */
export const createSearch = (findProductSearch: (apps: readonly string[]) => Promise<SearchProducts | null>) =>
  createRouter<ContentEnv>().get(
    "/search",
    describe({
      id: "search.search",
      summary: "Search products, posts and pages",
      responses: { status: 200, body: dataEnvelope(SearchResults) },
    }),
    query(Search),
    cacheResponse,
    async (c) => {
      const { ctx } = c.var
      const searchProducts = await findProductSearch(ctx.site.store?.apps ?? [])
      return sendData(c, await search(ctx, c.req.valid("query").q, searchProducts))
    },
  )
