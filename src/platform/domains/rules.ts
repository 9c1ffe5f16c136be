// Pure rules for a store's domains: each throws a refusal when the action is not allowed.

import { invalid, Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import type { Subscription } from "../../db/schema/central/subscriptions"
import type { Settings } from "../../env"
import { asciiHostname, isUnder } from "../../lib/hostname"
import type { Domain } from "./schemas"

/**
 * Asserts that a hostname is not one of the platform's own: the central domain, anything under it, or the CNAME target.
 * @throws Refusal `validation_failed`
 */
export function assertNotPlatformHost(hostname: string, settings: Settings): void {
  const own = [settings.CENTRAL_DOMAIN, settings.TENANCY_CNAME_HOST].filter(Boolean)
  if (own.some((name) => isUnder(hostname, name))) throw invalid("domain", "prohibited")
}

/** Whether a store's plan includes custom domains; a store without a subscription is not restricted. */
export const allowsCustomDomains = (subscription: Pick<Subscription, "plan"> | null): boolean =>
  subscription?.plan?.allows_custom_domain ?? true

/**
 * Asserts that a store may attach one more domain.
 * @param attached its domains
 * @param max its limit of custom domains
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
export function assertCanBePrimary(domain: Domain): void {
  if (!isRoutable(domain)) throw new Refusal("verify_first")
}

/** @throws Refusal `not_removable` for the fallback and for the primary domain */
export function assertRemovable(domain: Domain): void {
  if (domain.isFallback || domain.isPrimary) throw new Refusal("not_removable")
}

/**
 * Finds the domain that a path names.
 * @param attached the store's domains
 * @param segment a row id, or a hostname in any spelling
 * @throws Refusal `not_found`
 */
export function requireDomain(attached: readonly Domain[], segment: string): Domain {
  const hostname = asciiHostname(segment)
  const domain = attached.find((row) => String(row.id) === segment || row.domain === hostname)
  if (!domain) throw new Refusal("not_found")
  return domain
}
