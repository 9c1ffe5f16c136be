// What a benchmark is given, and what it answers.

/** The platform and the bare Worker, built and running, with one key and one store. */
export interface Stage {
  /** Where the bundles are: `<directory>/platform` and `<directory>/bare`. */
  directory: string
  /** Base URLs of the two Workers. */
  urls: { platform: string; bare: string }
  /** The platform's central database, for what a topic needs there and no request makes. */
  central: D1Database
  /** The settings and secrets that the platform runs with, beside those of wrangler.toml. */
  vars: Record<string, string>
  operatorToken: string
  /** A write key of the control plane. */
  key: string
  /** Id of a ready store. */
  store: string
}

/** One subject: measures and answers the rows of its table, the first of them its head. */
export type Topic = (stage: Stage) => Promise<string[][]>
