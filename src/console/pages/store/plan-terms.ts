// Names and formats the limits and features of a plan.
import { formatNumber, labelOf } from "../../../page-kit/parts"
import { W } from "../../strings"

/** The label of a limit, a feature or another term of a plan. */
export const getTermLabel = (term: string): string =>
  W.fields[`limits.${term}`] ?? W.fields[`features.${term}`] ?? labelOf(term)

/** A limit; 0 is none. */
export const formatLimit = (limit: number): string => (limit === 0 ? W.store.unlimited : formatNumber(limit))

/** A feature that a plan includes or not, or the number of webhook endpoints. */
export const formatFeature = (value: boolean | number): string =>
  typeof value === "number" ? formatNumber(value) : value ? W.common.yes : W.common.no
