// Runs the cron triggers of wrangler.toml, which `wrangler dev` does not run automatically.
import { Cron } from "croner"

/**
 * Schedules the cron triggers in UTC and runs them through the local runtime's scheduled endpoint. A trigger is skipped
 * while its previous run is still in progress.
 * @param crons the expressions of wrangler.toml
 * @param base e.g. `http://localhost:8787`
 * @param onError receives a message for each failed run
 * @returns a function that stops them
 */
export function startCrons(crons: string[], base: string, onError: (sentence: string) => void): () => void {
  const jobs = crons.map(
    (cron) =>
      new Cron(
        cron,
        { timezone: "UTC", protect: true, catch: (error) => onError(`Cron "${cron}" failed: ${error}`) },
        async () => {
          const time = Math.floor(Date.now() / 60_000) * 60_000
          const response = await fetch(
            `${base}/cdn-cgi/local/scheduled?${new URLSearchParams({ cron, time: String(time) })}`,
          )
          await response.body?.cancel()
          if (!response.ok) onError(`Cron "${cron}" failed with ${response.status}.`)
        },
      ),
  )
  return () => {
    for (const job of jobs) job.stop()
  }
}
