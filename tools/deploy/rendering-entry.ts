// Bundles the modules that render cached responses, and nothing else, so that their hash can be computed
// (fingerprint.ts). It is never deployed.
export { content } from "../../src/content/app"
export { mediaServing } from "../../src/content/media/serving"
export { storefront } from "../../src/storefront/routes"

/** Wrangler requires the classes of wrangler.toml. */
export class RateLimitBucket {}
export class EndpointFailures {}
export default {}
