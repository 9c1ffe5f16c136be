// The Worker: requests, queue messages, cron runs, and the Durable Objects.
import { app } from "./app"
import type { Env } from "./env"
import { handleCron } from "./jobs/cron"
import type { DeliveryMessage, JobMessage } from "./jobs/messages"
import { handleQueue } from "./jobs/queue"

export { EndpointFailures } from "../durable/endpoint-failures"
export { RateLimitBucket } from "../durable/rate-limit-bucket"

export default {
  fetch: app,
  queue: handleQueue,
  scheduled: handleCron,
} satisfies ExportedHandler<Env, DeliveryMessage | JobMessage>
