// The Worker: requests, queue messages, cron runs, the Durable Objects, and what it calls of itself.
import { app } from "./app"
import type { Env } from "./env"
import { handleCron } from "./jobs/cron"
import type { DeliveryMessage, JobMessage } from "./jobs/messages"
import { handleQueue } from "./jobs/queue"

export { EndpointFailures } from "../durable/endpoint-failures"
export { RateLimitBucket } from "../durable/rate-limit-bucket"
export { WebhookLanes } from "./webhooks/sweep/fan-out"

export default {
  fetch: app,
  queue: handleQueue,
  scheduled: handleCron,
} satisfies ExportedHandler<Env, DeliveryMessage | JobMessage>
