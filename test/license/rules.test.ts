// The license rules and their messages: activation, verification, deactivation, download and updates.
import { describe, expect, test } from "vitest"
import { formatMessage, LANGUAGES, MESSAGES, type MessageCode, parseLanguage } from "../../src/license/refusal-messages"
import { type ActivationInput, decideActivation } from "../../src/license/rules/activate"
import { type DownloadInput, getDownloadRejection } from "../../src/license/rules/download"
import type { InstallationInfo, LicenseFacts, ProductFacts } from "../../src/license/rules/facts"
import { findOfferedUpdate } from "../../src/license/rules/updates"
import {
  getDeactivationRejection,
  getVerificationRejection,
  type VerificationInput,
} from "../../src/license/rules/verify"

const NOW = new Date("2026-06-15T12:00:00Z")
const BEFORE = new Date(NOW.getTime() - 1)
const AFTER = new Date(NOW.getTime() + 1)

const product: ProductFacts = { id: 1, isActive: true, licenseUpdate: true, serveLatestUpdates: true }
const license: LicenseFacts = {
  productId: 1,
  customerId: "John Doe",
  isValid: true,
  expiresAt: AFTER,
  updatesUntil: NOW,
  parallelUses: 2,
  domains: ["shop.example", "*.shops.example"],
  ips: ["203.0.113.*"],
}
const request: InstallationInfo = { clientName: "John Doe", domain: "shop.example", ip: "203.0.113.7" }
const activation = { isActive: true, domain: "shop.example" }

describe("activate", () => {
  const input: ActivationInput = { license, product, request, activeUses: 1, isAlreadyActivated: false, now: NOW }
  const decide = (change: Partial<ActivationInput>) => decideActivation({ ...input, ...change })

  // Each case violates one more rule than the one before, which also tests the order of the checks.
  const ladder: [MessageCode, Partial<ActivationInput>][] = [
    ["ip_not_allowed", { request: { ...request, ip: "198.51.100.1" } }],
    ["domain_not_allowed", { request: { ...request, ip: "198.51.100.1", domain: "other.example" } }],
    ["parallel_uses_reached", { activeUses: 2 }],
    ["license_expired", { license: { ...license, expiresAt: BEFORE } }],
    ["license_blocked", { license: { ...license, expiresAt: BEFORE, isValid: false } }],
    ["license_code_invalid", { request: { clientName: "Jane", domain: "other.example", ip: "198.51.100.1" } }],
    ["license_code_invalid", { license: null }],
  ]
  test.each(ladder.map(([code], index) => [code, index] as const))(
    "refuses an activation with %s (case %i)",
    (code, index) => {
      const broken = Object.assign({}, ...ladder.slice(0, index + 1).map(([, change]) => change))
      expect(decide(broken)).toMatchObject({ kind: "refused", message: code })
    },
  )

  test("creates an activation when no rule is violated", () => {
    expect(decide({})).toEqual({ kind: "create" })
  })

  test("refuses a license of another or an inactive product as an invalid code", () => {
    const invalid = { kind: "refused", message: "license_code_invalid" }
    expect(decide({ license: { ...license, productId: 2 } })).toEqual({ ...invalid, reason: "other_product" })
    expect(decide({ product: { ...product, isActive: false } })).toEqual({ ...invalid, reason: "product_inactive" })
  })

  test.each([
    ["John Doe", "john doe", "create"],
    ["John Doe", " JOHN DOE ", "create"],
    ["John Doe", "John", "refused"],
    ["John Doe", null, "create"],
    ["John Doe", "", "create"],
    [null, "anyone", "create"],
    ["", "anyone", "create"],
    [null, null, "create"],
  ])("decides an activation for customer %j with client name %j: %s", (customerId, clientName, kind) => {
    const decision = decide({ license: { ...license, customerId }, request: { ...request, clientName } })
    expect(decision.kind).toBe(kind)
  })

  test.each([
    [BEFORE, "refused"],
    [NOW, "create"],
    [AFTER, "create"],
    [null, "create"],
  ])("decides an activation of a license that expires at %s: %s", (expiresAt, kind) => {
    expect(decide({ license: { ...license, expiresAt } }).kind).toBe(kind)
  })

  test.each([
    [2, 0, "create"],
    [2, 1, "create"],
    [2, 2, "refused"],
    [2, 3, "refused"],
    [0, 0, "refused"],
    [null, 1_000, "create"],
  ])("decides an activation with a limit of %j uses and %i active ones: %s", (parallelUses, activeUses, kind) => {
    expect(decide({ license: { ...license, parallelUses }, activeUses }).kind).toBe(kind)
  })

  test("returns the status code that clients check when all uses are taken", () => {
    expect(decide({ activeUses: 2 })).toEqual({
      kind: "refused",
      reason: "uses_taken",
      message: "parallel_uses_reached",
      statusCode: "ACTIVATED_MAXIMUM_ALLOWED_PRODUCT_INSTANCES",
    })
  })

  test("renews an existing activation even when no use is left", () => {
    expect(decide({ isAlreadyActivated: true, activeUses: 2 })).toEqual({ kind: "renew" })
    expect(decide({ isAlreadyActivated: true })).toEqual({ kind: "renew" })
  })

  test("applies all other rules to a renewal", () => {
    const renewal = { isAlreadyActivated: true, activeUses: 2 }
    expect(decide({ ...renewal, license: { ...license, isValid: false } }).kind).toBe("refused")
    expect(decide({ ...renewal, request: { ...request, ip: null } }).kind).toBe("refused")
  })

  test("lists the allowed domains when it refuses a domain", () => {
    const decision = decide({ request: { ...request, domain: null } })
    expect(decision).toEqual({
      kind: "refused",
      reason: "other_domain",
      message: "domain_not_allowed",
      facts: { domains: "shop.example, *.shops.example" },
    })
  })

  test("allows any domain and IP when the license restricts neither", () => {
    const anywhere = { ...license, domains: [], ips: [] }
    expect(decide({ license: anywhere, request: { clientName: null, domain: null, ip: null } }).kind).toBe("create")
  })
})

const verification: VerificationInput = { license, activation, product, request }
const elsewhere = { ...request, domain: "a.shops.example" }

/**
 * Rejections of every operation, in reverse order of the checks; most cases also violate a later rule, to test the
 * order.
 */
const commonRejections = [
  ["other_domain", { request: elsewhere }],
  ["other_domain", { request: { ...request, domain: null } }],
  ["other_domain", { activation: { ...activation, domain: null } }],
  ["deactivated", { activation: { ...activation, isActive: false }, request: elsewhere }],
  ["other_client", { request: { ...elsewhere, clientName: "Jane" }, activation: { ...activation, isActive: false } }],
  ["other_product", { product: { ...product, id: 2 }, request: { ...elsewhere, clientName: "Jane" } }],
  ["not_activated", { activation: null }],
  ["other_product", { product: null }],
  ["unknown", { license: null }],
] as const

/** Further rejections of a verification. */
const validityRejections = [
  ["other_domain", { license: { ...license, domains: ["*.shops.example"] } }],
  ["product_inactive", { product: { ...product, isActive: false }, request: elsewhere }],
  ["expired", { license: { ...license, expiresAt: BEFORE }, product: { ...product, isActive: false } }],
  ["blocked", { license: { ...license, expiresAt: BEFORE, isValid: false } }],
  ["deactivated", { license: { ...license, isValid: false }, activation: { ...activation, isActive: false } }],
] as const

describe("verify", () => {
  test.each([...commonRejections, ...validityRejections])("rejects a verification with %s for %j", (reason, change) => {
    expect(getVerificationRejection({ ...verification, ...change, now: NOW })).toBe(reason)
  })

  test("verifies a license when no rule is violated", () => {
    expect(getVerificationRejection({ ...verification, now: NOW })).toBeNull()
  })

  test("ignores the IP, and the client name when none is sent", () => {
    const moved = { clientName: null, domain: "shop.example", ip: "198.51.100.1" }
    expect(getVerificationRejection({ ...verification, request: moved, now: NOW })).toBeNull()
  })

  test("verifies an activation without a domain for a request without one", () => {
    const withoutDomain = {
      license: { ...license, domains: [] },
      activation: { isActive: true, domain: null },
      request: { ...request, domain: null },
    }
    expect(getVerificationRejection({ ...verification, ...withoutDomain, now: NOW })).toBeNull()
  })

  test("verifies a license at its exact expiry time", () => {
    expect(getVerificationRejection({ ...verification, license: { ...license, expiresAt: NOW }, now: NOW })).toBeNull()
    expect(getVerificationRejection({ ...verification, license: { ...license, expiresAt: null }, now: NOW })).toBeNull()
  })
})

describe("deactivate", () => {
  test.each(commonRejections)("rejects a deactivation with %s for %j", (reason, change) => {
    expect(getDeactivationRejection({ ...verification, ...change })).toBe(reason)
  })

  test("deactivates a valid, blocked or expired license", () => {
    expect(getDeactivationRejection(verification)).toBeNull()
    expect(
      getDeactivationRejection({ ...verification, license: { ...license, isValid: false, expiresAt: BEFORE } }),
    ).toBeNull()
  })
})

describe("download", () => {
  const version = { version: "1.0.0", isActive: true, releasedAt: NOW }
  const input: DownloadInput = { ...verification, product, version, now: NOW }

  test.each(
    [...commonRejections, ...validityRejections].filter(([, change]) => !("product" in change && !change.product)),
  )("rejects a download with %s for %j", (reason, change) => {
    expect(getDownloadRejection({ ...input, ...change } as DownloadInput)).toBe(reason)
  })

  test.each([
    [BEFORE, NOW, null],
    [NOW, NOW, null],
    [AFTER, NOW, "updates_ended"],
    [null, NOW, "updates_ended"],
    [AFTER, null, null],
  ])("decides a download of a version released at %s with updates until %s: %s", (releasedAt, updatesUntil, reason) => {
    const change = { version: { ...version, releasedAt }, license: { ...license, updatesUntil } }
    expect(getDownloadRejection({ ...input, ...change })).toBe(reason)
  })

  test("requires no license when the product's updates are free", () => {
    const withoutLicense = { product: { ...product, licenseUpdate: false }, license: null, activation: null }
    expect(getDownloadRejection({ ...input, ...withoutLicense })).toBeNull()
  })
})

describe("updates", () => {
  const release = (version: string, releasedAt: Date | null = BEFORE, isActive = true) => ({
    version,
    releasedAt,
    isActive,
  })
  const versions = [
    release("1.10.0"),
    release("1.2.0"),
    release("1.9.0", NOW),
    release("2.0.0", AFTER),
    release("3.0.0", BEFORE, false),
    release("4.0.0", null),
  ]
  const stepwise = { ...product, serveLatestUpdates: false }

  test.each([
    ["1.0.0", "1.10.0", "1.2.0"],
    ["1.2.0", "1.10.0", "1.9.0"],
    ["v1.9.0", "1.10.0", "1.10.0"],
    ["1.10.0-beta", "1.10.0", "1.10.0"],
    ["", "1.10.0", "1.2.0"],
    ["1.10.0", undefined, undefined],
    ["2.0.0", undefined, undefined],
  ])("offers an update from %j directly to %s, step by step to %s", (current, newest, next) => {
    expect(findOfferedUpdate(product, versions, current, NOW)?.version).toBe(newest)
    expect(findOfferedUpdate(stepwise, versions, current, NOW)?.version).toBe(next)
  })
})

describe("messages", () => {
  const SENTENCES: [MessageCode, string][] = [
    ["activated", "Activated."],
    ["verified", "Verified."],
    ["deactivated", "Deactivated."],
    ["license_code_invalid", "Your license code is invalid."],
    ["license_blocked", "Your license is blocked."],
    ["license_expired", "Your license has expired."],
    ["parallel_uses_reached", "Your license has reached the maximum number of parallel uses."],
    ["domain_not_allowed", "This license can only be used for the following domain(s): a.example, $&.example"],
    ["ip_not_allowed", "Your license is not valid for this IP."],
    ["license_not_held", "License is invalid or not assigned to you."],
  ]
  test("returns the exact English messages that clients compare", () => {
    for (const [code, sentence] of SENTENCES) {
      expect.soft(formatMessage(code, "en", { domains: "a.example, $&.example" })).toBe(sentence)
    }
  })

  test("translates every message into every language, with the same placeholders", () => {
    const placeholders = (text: string) => text.match(/\{\w+\}/g) ?? []
    for (const [code, sentences] of Object.entries(MESSAGES)) {
      for (const language of LANGUAGES)
        expect.soft(placeholders(sentences[language]), code).toEqual(placeholders(sentences.en))
      expect.soft(new Set(Object.values(sentences)).size, code).toBe(LANGUAGES.length)
    }
  })

  const HEADERS: [string | null | undefined, string][] = [
    ["en", "en"],
    ["english", "en"],
    ["English", "en"],
    ["es", "es"],
    ["spanish", "es"],
    ["fr", "fr"],
    ["FR", "fr"],
    ["fr-CA", "fr"],
    ["fr_FR", "fr"],
    ["french", "fr"],
    [" vi ", "vi"],
    ["vietnamese", "vi"],
    ["de", "en"],
    ["constructor", "en"],
    ["", "en"],
    [null, "en"],
    [undefined, "en"],
  ]
  test("parses X-API-LANGUAGE as a code or a name", () => {
    for (const [header, language] of HEADERS) expect.soft(parseLanguage(header), `${header}`).toBe(language)
  })
})
