// Types of a benchmark: its inputs and its result table.

/** The platform and the bare Worker, built and running, with one key and one store. */
export interface Stage {
  /** Contains the bundles: `<directory>/platform` and `<directory>/bare`. */
  directory: string
  /** Base URLs of the two Workers. */
  urls: { platform: string; bare: string }
  /** The platform's central database, for data that no API can create. */
  central: D1Database
  /** Settings and secrets in addition to wrangler.toml. */
  vars: Record<string, string>
  operatorToken: string
  /** A write key of the control plane. */
  key: string
  /** Id of a ready store. */
  store: string
}

/** Runs a benchmark and returns its table; the first row is the header. */
export type Topic = (stage: Stage) => Promise<string[][]>
