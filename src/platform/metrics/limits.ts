// The limits of the operating metrics, for the deep health check and the alerts.

/** Seconds after which the metrics of the latest minute are outdated: the cron of every minute does not run. */
export const MAX_METRICS_AGE_SECONDS = 180

/** Above any of these, the platform needs an operator. */
export const LIMITS = {
  /** Lateness of a delivery that no receiver causes. */
  oldestDueSeconds: 300,
  /** Age of a message in a queue; a message that failed waits up to 320 seconds for its next attempt. */
  queueOldestSeconds: 900,
  /** Lateness of a scheduled job. */
  cronLateSeconds: 300,
  /** Dead letters in the last hour. */
  deadLetters: 0,
  /** Databases that are unreachable, full or refuse writes. */
  databasesDown: 0,
} as const
