// Parses and describes pages of the control plane's lists.
import type { PageRequest } from "../list/page"
import { queryNumber } from "./validation"

/** The query parameters of a paginated list. */
export const pageQuery = { page: queryNumber().default(1), per_page: queryNumber(100).default(30) }

/** The `meta` of a paginated response. */
export const pageMeta = ({ page, per_page }: PageRequest, total: number) => ({
  page,
  per_page,
  total,
  last_page: Math.max(1, Math.ceil(total / per_page)),
})
