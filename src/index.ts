// The Worker: requests, queue messages, cron runs, the Durable Objects. Each handler is loaded on first use, so an
// isolate that only hosts Durable Objects, or only handles queue messages, starts without the rest.
import type { Env } from "./bindings"

export { EndpointFailures } from "../durable/endpoint-failures"
export { RateLimitBucket } from "../durable/rate-limit-bucket"

export default {
  fetch: async (request: Request, env, execution) => (await import("./app")).app(request, env, execution),
  queue: async (batch, env, execution) => (await import("./jobs/queue")).handleQueue(batch, env, execution),
  scheduled: async (controller, env, execution) => (await import("./jobs/cron")).handleCron(controller, env, execution),
} satisfies ExportedHandler<Env>
