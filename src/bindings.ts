// Declares the Worker's bindings. Only the module that owns a binding reads it (`BINDING_OWNERS` in
// tools/lint/rules/database.ts); everything else passes on the opaque `Bindings`.
import type { DeliveryMessage, EndpointBatchMessage, JobMessage, PushMessage } from "./core/queue/messages"
import type { Bindings } from "./env"

/** The bindings of wrangler.toml. Settings and secrets are text in the same object; read them with `settingsOf`. */
export interface Env extends Bindings {
  DB: D1Database
  RATE_LIMIT: DurableObjectNamespace
  ENDPOINT_FAILURES: DurableObjectNamespace
  WEBHOOK_QUEUE: Queue<DeliveryMessage>
  RETRY_QUEUE: Queue<EndpointBatchMessage>
  PUSH_QUEUE: Queue<PushMessage>
  JOB_QUEUE: Queue<JobMessage>
  SLOW_JOB_QUEUE: Queue<JobMessage>
  MEDIA: R2Bucket
  UPDATES: R2Bucket
  BACKUPS: R2Bucket
  ARCHIVE: R2Bucket
  MAIL: SendEmail
  /** The files of assets/. */
  ASSETS: Fetcher
  /** Receives the metrics of every minute; optional. */
  METRICS?: AnalyticsEngineDataset
  /** Identifies the deployed version of the code. */
  VERSION: WorkerVersionMetadata
}

/** Returns a binding to its owner. */
export const binding = <Name extends keyof Env & string>(env: Bindings, name: Name): Env[Name] => (env as Env)[name]

/** Returns the binding that a setting names; undefined when there is none. */
export const bindingNamedBy = (env: Bindings, name: string): unknown =>
  (env as unknown as Record<string, unknown>)[name]
