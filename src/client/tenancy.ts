// The client, with one property per resource of the control plane.
import { AppsResource } from "./resources/apps.ts"
import { AuditResource } from "./resources/audit.ts"
import { CouponsResource } from "./resources/coupons.ts"
import { DomainsResource } from "./resources/domains.ts"
import { EventsResource } from "./resources/events.ts"
import { KeysResource } from "./resources/keys.ts"
import { PlansResource } from "./resources/plans.ts"
import { MeResource, PlatformResource } from "./resources/platform.ts"
import { StoresResource } from "./resources/stores.ts"
import { SubscriptionsResource } from "./resources/subscriptions.ts"
import { UsageResource } from "./resources/usage.ts"
import { DeliveriesResource, WebhooksResource } from "./resources/webhooks.ts"
import { type TenancyOptions, Transport } from "./transport.ts"

/**
 * A client of the control plane.
 *
 * Operations return the resource. Lists support `for await` and `.page(n)`. Failed calls throw a `TenancyError`. Calls
 * are retried after a 429, a 5xx or a network error; all attempts of a write share one Idempotency-Key, so it takes
 * effect once.
 */
export class Tenancy {
  readonly platform: PlatformResource
  readonly me: MeResource
  readonly keys: KeysResource
  readonly plans: PlansResource
  readonly coupons: CouponsResource
  readonly stores: StoresResource
  readonly subscriptions: SubscriptionsResource
  readonly usage: UsageResource
  readonly audit: AuditResource
  readonly domains: DomainsResource
  readonly apps: AppsResource
  readonly webhooks: WebhooksResource
  readonly deliveries: DeliveriesResource
  readonly events: EventsResource

  /** @throws TypeError for invalid options */
  constructor(options: TenancyOptions) {
    const transport = new Transport(options)
    this.platform = new PlatformResource(transport)
    this.me = new MeResource(transport)
    this.keys = new KeysResource(transport)
    this.coupons = new CouponsResource(transport)
    this.plans = new PlansResource(transport)
    this.stores = new StoresResource(transport)
    this.subscriptions = new SubscriptionsResource(transport)
    this.usage = new UsageResource(transport)
    this.audit = new AuditResource(transport)
    this.domains = new DomainsResource(transport)
    this.apps = new AppsResource(transport)
    this.webhooks = new WebhooksResource(transport)
    this.deliveries = new DeliveriesResource(transport)
    this.events = new EventsResource(transport)
  }
}
