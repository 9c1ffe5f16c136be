// Arranges the report of delivery:doctor for a terminal.
import type { Json } from "./table.ts"

/** The parts of the report that are arranged. */
interface Report {
  causes: Record<string, Json>[]
  endpoints: ({ endpoint: number; causes: Record<string, Json>[] } & Record<string, Json>)[]
  [name: string]: Json
}

/** Moves the causes of the endpoints to one table with those of the platform, whose endpoint is empty. */
export function arrangeReport({ causes, endpoints, ...report }: Report): Json {
  return {
    ...report,
    causes: [
      ...causes.map((cause) => ({ endpoint: null, ...cause })),
      ...endpoints.flatMap((late) => late.causes.map((cause) => ({ endpoint: late.endpoint, ...cause }))),
    ],
    endpoints: endpoints.map(({ causes: _, ...endpoint }) => endpoint),
  }
}
