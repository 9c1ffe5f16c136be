// Pages of this surface's lists: `page` and `per_page`, where too many a page means as many as are allowed.
import { queryNumber } from "../core/http/validation"

/**
 * The query parameters of a paginated list.
 * @param bounds how many rows a page has when nothing is said, and at most
 */
export const pageQuery = ({ perPage = 10, max = 100 }: { perPage?: number; max?: number } = {}) => ({
  page: queryNumber().default(1),
  per_page: queryNumber()
    .transform((value) => Math.min(value, max))
    .meta({ description: `How many a page; more than ${max} are taken for ${max}.` })
    .default(perPage),
})
