// The content API's `page` and `per_page` parameters. Larger `per_page` values are capped.
import { queryNumber } from "../core/http/validation"

/**
 * Builds the query parameters of a paginated list.
 * @param options the default and the maximum number of rows per page
 */
export const pageQuery = ({ perPage = 10, max = 100 }: { perPage?: number; max?: number } = {}) => ({
  page: queryNumber().default(1),
  per_page: queryNumber()
    .transform((value) => Math.min(value, max))
    .meta({ description: `Items per page. Values above ${max} are treated as ${max}.` })
    .default(perPage),
})
