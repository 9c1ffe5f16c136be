// The alerts: which metric each watches, and at which values it fires and recovers.
import type { SystemMetrics } from "../../db/schema/central/system-metrics"
import { HOUR, SECOND } from "../../lib/time"
import { LIMITS } from "../metrics/limits"
import { MAX_DATABASE_BYTES, NEARLY_FULL_BYTES } from "../system/databases"

export interface AlertDefinition {
  /** Returns the watched value; null if it was not measured, which changes nothing. */
  read: (metrics: SystemMetrics) => number | null
  /** It fires above this value. */
  threshold: number
  /** It recovers at or below this value; lower than the threshold where the value fluctuates around it. */
  recovery: number
  /** Describes the state in a sentence. */
  describe: (value: number) => string
  /** The runbook, in docs/operations/runbooks. */
  runbook: string
}

/** Transient errors in ten minutes. A handful in hours is normal for D1. */
const MAX_FAULTS = 50

/** Age of the last finished run of the nightly backups: one night was missed, and half of the next day has passed. */
const MAX_BACKUP_AGE = 36 * HOUR

const GIGABYTE = 1_000_000_000

const ALERTS = {
  deliveries_late: {
    read: ({ oldestDueSeconds }) => oldestDueSeconds,
    threshold: LIMITS.oldestDueSeconds,
    recovery: 60,
    describe: (seconds) => `A webhook delivery is ${seconds} seconds late.`,
    runbook: "deliveries-late.md",
  },
  scheduled_jobs_late: {
    read: ({ cronLateSeconds }) => cronLateSeconds,
    threshold: LIMITS.cronLateSeconds,
    recovery: 60,
    describe: (seconds) => `A scheduled job is ${seconds} seconds late.`,
    runbook: "cron-late.md",
  },
  scheduled_jobs_failing: {
    read: ({ jobsFailing }) => jobsFailing,
    threshold: 0,
    recovery: 0,
    describe: (jobs) => `Scheduled jobs whose last run failed: ${jobs}.`,
    runbook: "cron-late.md",
  },
  dead_letters: {
    read: ({ deadLetters }) => deadLetters,
    threshold: LIMITS.deadLetters,
    recovery: 0,
    describe: (messages) => `Queue messages that failed permanently in the last hour: ${messages}.`,
    runbook: "dead-letters.md",
  },
  database_down: {
    read: ({ databasesDown }) => databasesDown,
    threshold: LIMITS.databasesDown,
    recovery: 0,
    describe: (databases) => `Databases that are unreachable, full or refuse writes: ${databases}.`,
    runbook: "region-down.md",
  },
  database_nearly_full: {
    read: ({ databaseBytes }) => databaseBytes,
    threshold: NEARLY_FULL_BYTES,
    recovery: 0.65 * MAX_DATABASE_BYTES,
    describe: (bytes) => `The fullest database has ${(bytes / GIGABYTE).toFixed(1)} of 10 GB.`,
    runbook: "database-full.md",
  },
  mail_refused: {
    read: ({ mailsRefused }) => mailsRefused,
    threshold: 0,
    recovery: 0,
    describe: (mails) => `Mails that the mail service refused and that wait for another attempt: ${mails}.`,
    runbook: "mail-refused.md",
  },
  faults_high: {
    read: ({ faults }) => faults,
    threshold: MAX_FAULTS,
    recovery: MAX_FAULTS / 2,
    describe: (faults) => `Transient errors of databases, queues and objects in ten minutes: ${faults}.`,
    runbook: "d1-overloaded.md",
  },
  queue_stuck: {
    read: ({ queueOldestSeconds }) => queueOldestSeconds,
    threshold: LIMITS.queueOldestSeconds,
    recovery: 120,
    describe: (seconds) => `A queue message has been waiting for ${seconds} seconds.`,
    runbook: "queue-stuck.md",
  },
  backups_late: {
    read: ({ backupAgeSeconds }) => backupAgeSeconds ?? null,
    threshold: MAX_BACKUP_AGE / SECOND,
    recovery: MAX_BACKUP_AGE / SECOND,
    describe: (seconds) => `No run of the nightly backups has finished for ${Math.round(seconds / 3_600)} hours.`,
    runbook: "backups-failing.md",
  },
  backups_failing: {
    read: ({ backupsFailed }) => backupsFailed ?? null,
    threshold: 0,
    recovery: 0,
    describe: (stores) => `Stores whose latest backup failed: ${stores}.`,
    runbook: "backups-failing.md",
  },
} as const satisfies Record<string, AlertDefinition>

export type AlertName = keyof typeof ALERTS

/** All alerts, in the order of the list. */
export const ALERT_NAMES = Object.keys(ALERTS) as AlertName[]

/** The folder of the runbooks in the repository. */
export const RUNBOOKS = "docs/operations/runbooks"

export const findAlert = (name: AlertName): AlertDefinition => ALERTS[name]
