// What may be done with a store's domains. Pure.

import { invalid, Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import type { Settings } from "../../env"
import { asciiHostname, isUnder } from "../../lib/hostname"
import type { Subscription } from "../subscriptions/schemas"
import type { Domain } from "./schemas"

/**
 * Keeps the platform's own names from being attached: the central domain, all under it, and the target of CNAMEs.
 * @throws Refusal `validation_failed`
 */
export function assertForeign(hostname: string, settings: Settings): void {
  const own = [settings.CENTRAL_DOMAIN, settings.TENANCY_CNAME_HOST].filter(Boolean)
  if (own.some((name) => isUnder(hostname, name))) throw invalid("domain", "prohibited")
}

/** Whether what the store bought includes custom domains; one that bought nothing is not restricted. */
export const allowsCustomDomains = (subscription: Subscription | null): boolean =>
  subscription?.plan?.allows_custom_domain ?? true

/**
 * Whether a store may attach one more domain.
 * @param attached its domains
 * @param max how many custom ones it may have
 * @param taken whether the hostname is registered and cannot be taken over
 * @throws Refusal `plan_upgrade_required`, `limit_reached`, `already_taken`, in that order
 */
export function assertAttachable(
  subscription: Subscription | null,
  attached: readonly Domain[],
  { max, taken }: { max: number; taken: boolean },
): void {
  if (!allowsCustomDomains(subscription)) throw new Refusal("plan_upgrade_required")
  if (attached.filter((domain) => !domain.isFallback).length >= max) throw new Refusal("limit_reached")
  if (taken) throw new Refusal("already_taken")
}

/** @throws Refusal `verify_first` */
export function assertPrimaryable(domain: Domain): void {
  if (!isRoutable(domain)) throw new Refusal("verify_first")
}

/** @throws Refusal `not_removable` for the fallback, and for the primary while it is that */
export function assertRemovable(domain: Domain): void {
  if (domain.isFallback || domain.isPrimary) throw new Refusal("not_removable")
}

/**
 * The domain that a path names.
 * @param attached the store's domains
 * @param segment a row id, or a hostname in any spelling
 * @throws Refusal `not_found`
 */
export function domainIn(attached: readonly Domain[], segment: string): Domain {
  const hostname = asciiHostname(segment)
  const found = attached.find((row) => String(row.id) === segment || row.domain === hostname)
  if (!found) throw new Refusal("not_found")
  return found
}
