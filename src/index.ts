// The Worker: requests, queue messages, cron runs, the Durable Objects.
import { app } from "./app"
import type { Env } from "./bindings"

export { EndpointFailures } from "../durable/endpoint-failures"
export { RateLimitBucket } from "../durable/rate-limit-bucket"

export default {
  fetch: app,
  queue: async (batch, env, execution) => (await import("./jobs/queue")).handleQueue(batch, env, execution),
  scheduled: async (controller, env, execution) => (await import("./jobs/cron")).handleCron(controller, env, execution),
} satisfies ExportedHandler<Env>
