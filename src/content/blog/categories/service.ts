// Reads categories for the API.
import type * as z from "zod"
import { batch } from "../../../db/client"
import type { SiteCtx } from "../../site"
import { getReplica } from "../caching"
import { assembleCategory, categoryReads, queryCategories, queryFilteredCategories } from "./queries"
import type { FilterCategories, ListCategories } from "./schemas"

/** Lists a page of categories. */
export const listCategories = (ctx: SiteCtx, input: z.output<typeof ListCategories>) =>
  queryCategories(getReplica(ctx), ctx.site.id, input)

/** Lists a page of the categories that match all filters. */
export const filterCategories = (ctx: SiteCtx, input: z.output<typeof FilterCategories>) =>
  queryFilteredCategories(getReplica(ctx), ctx.site.id, input)

/**
 * Reads one category by id or slug.
 * @throws Refusal `not_found`
 */
export const readCategory = async (ctx: SiteCtx, segment: string) =>
  assembleCategory(await batch(getReplica(ctx), categoryReads(ctx.site.id, segment)))
