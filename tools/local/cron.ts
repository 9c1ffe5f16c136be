// Fires the cron triggers of wrangler.toml, which `wrangler dev` never does by itself.
import { Cron } from "croner"

/**
 * Drives cron expressions in UTC through the local runtime's scheduled endpoint. A trigger whose last run still goes on
 * is not started again.
 * @param crons the expressions of wrangler.toml
 * @param base e.g. `http://localhost:8787`
 * @param onFault gets one sentence for a run that did not succeed
 * @returns a function that stops them
 */
export function driveCrons(crons: string[], base: string, onFault: (sentence: string) => void): () => void {
  const jobs = crons.map(
    (cron) =>
      new Cron(
        cron,
        { timezone: "UTC", protect: true, catch: (error) => onFault(`Cron "${cron}" failed: ${error}`) },
        async () => {
          const time = Math.floor(Date.now() / 60_000) * 60_000
          const response = await fetch(
            `${base}/cdn-cgi/local/scheduled?${new URLSearchParams({ cron, time: String(time) })}`,
          )
          await response.body?.cancel()
          if (!response.ok) onFault(`Cron "${cron}" failed with ${response.status}.`)
        },
      ),
  )
  return () => {
    for (const job of jobs) job.stop()
  }
}
