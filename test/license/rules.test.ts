// The decisions about licenses, rung by rung, and the sentences they end in.
import { describe, expect, test } from "vitest"
import { LANGUAGES, languageOf, MESSAGES, type MessageCode, message } from "../../src/license/refusal-messages"
import { type ActivationQuestion, decideActivation } from "../../src/license/rules/activate"
import { type DownloadQuestion, downloadFault } from "../../src/license/rules/download"
import type { LicenseFacts, ProductFacts, RequestFacts } from "../../src/license/rules/facts"
import { offeredUpdate } from "../../src/license/rules/updates"
import { deactivationFault, type HoldingQuestion, verificationFault } from "../../src/license/rules/verify"

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
const request: RequestFacts = { clientName: "John Doe", domain: "shop.example", ip: "203.0.113.7" }
const activation = { isActive: true, domain: "shop.example" }

describe("activate", () => {
  const question: ActivationQuestion = { license, product, request, activeUses: 1, heldHere: false, now: NOW }
  const decide = (change: Partial<ActivationQuestion>) => decideActivation({ ...question, ...change })

  // Each rung breaks one more thing than the one below it, so that the order shows too.
  const ladder: [MessageCode, Partial<ActivationQuestion>][] = [
    ["ip_not_allowed", { request: { ...request, ip: "198.51.100.1" } }],
    ["domain_not_allowed", { request: { ...request, ip: "198.51.100.1", domain: "other.example" } }],
    ["parallel_uses_reached", { activeUses: 2 }],
    ["license_expired", { license: { ...license, expiresAt: BEFORE } }],
    ["license_blocked", { license: { ...license, expiresAt: BEFORE, isValid: false } }],
    ["license_code_invalid", { request: { clientName: "Jane", domain: "other.example", ip: "198.51.100.1" } }],
    ["license_code_invalid", { license: null }],
  ]
  test.each(ladder.map(([code], index) => [code, index] as const))(
    "refuses: %s (rung %i from below)",
    (code, index) => {
      const broken = Object.assign({}, ...ladder.slice(0, index + 1).map(([, change]) => change))
      expect(decide(broken)).toMatchObject({ kind: "refused", message: code })
    },
  )

  test("creates an activation when nothing is wrong", () => {
    expect(decide({})).toEqual({ kind: "create" })
  })

  test("a license of another product, and one of a product that is switched off, are invalid codes", () => {
    const invalid = { kind: "refused", message: "license_code_invalid" }
    expect(decide({ license: { ...license, productId: 2 } })).toEqual({ ...invalid, fault: "other_product" })
    expect(decide({ product: { ...product, isActive: false } })).toEqual({ ...invalid, fault: "product_inactive" })
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
  ])("the customer %j and the client name %j: %s", (customerId, clientName, kind) => {
    const decision = decide({ license: { ...license, customerId }, request: { ...request, clientName } })
    expect(decision.kind).toBe(kind)
  })

  test.each([
    [BEFORE, "refused"],
    [NOW, "create"],
    [AFTER, "create"],
    [null, "create"],
  ])("expiry at %s: %s", (expiresAt, kind) => {
    expect(decide({ license: { ...license, expiresAt } }).kind).toBe(kind)
  })

  test.each([
    [2, 0, "create"],
    [2, 1, "create"],
    [2, 2, "refused"],
    [2, 3, "refused"],
    [0, 0, "refused"],
    [null, 1_000, "create"],
  ])("of %j uses %i taken: %s", (parallelUses, activeUses, kind) => {
    expect(decide({ license: { ...license, parallelUses }, activeUses }).kind).toBe(kind)
  })

  test("the limit of uses carries the status code clients look for", () => {
    expect(decide({ activeUses: 2 })).toEqual({
      kind: "refused",
      fault: "uses_taken",
      message: "parallel_uses_reached",
      statusCode: "ACTIVATED_MAXIMUM_ALLOWED_PRODUCT_INSTANCES",
    })
  })

  test("the domain and IP that hold an activation renew it, even when no use is left", () => {
    expect(decide({ heldHere: true, activeUses: 2 })).toEqual({ kind: "renew" })
    expect(decide({ heldHere: true })).toEqual({ kind: "renew" })
  })

  test("holding an activation excuses nothing else", () => {
    const held = { heldHere: true, activeUses: 2 }
    expect(decide({ ...held, license: { ...license, isValid: false } }).kind).toBe("refused")
    expect(decide({ ...held, request: { ...request, ip: null } }).kind).toBe("refused")
  })

  test("a refused domain is told which ones are allowed", () => {
    const decision = decide({ request: { ...request, domain: null } })
    expect(decision).toEqual({
      kind: "refused",
      fault: "other_domain",
      message: "domain_not_allowed",
      facts: { domains: "shop.example, *.shops.example" },
    })
  })

  test("any domain and any IP will do where the license names none", () => {
    const anywhere = { ...license, domains: [], ips: [] }
    expect(decide({ license: anywhere, request: { clientName: null, domain: null, ip: null } }).kind).toBe("create")
  })
})

const holding: HoldingQuestion = { license, activation, product, request }
const elsewhere = { ...request, domain: "a.shops.example" }

/** What every way of showing a license checks, from the last rung up; most break a lower rung too, to show the order. */
const holdingFaults = [
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

/** What verifying checks beyond that. */
const validityFaults = [
  ["other_domain", { license: { ...license, domains: ["*.shops.example"] } }],
  ["product_inactive", { product: { ...product, isActive: false }, request: elsewhere }],
  ["expired", { license: { ...license, expiresAt: BEFORE }, product: { ...product, isActive: false } }],
  ["blocked", { license: { ...license, expiresAt: BEFORE, isValid: false } }],
  ["deactivated", { license: { ...license, isValid: false }, activation: { ...activation, isActive: false } }],
] as const

describe("verify", () => {
  test.each([...holdingFaults, ...validityFaults])("refuses: %s by %j", (fault, change) => {
    expect(verificationFault({ ...holding, ...change, now: NOW })).toBe(fault)
  })

  test("is content when nothing is wrong", () => {
    expect(verificationFault({ ...holding, now: NOW })).toBeNull()
  })

  test("looks at the client name only when one is sent, and not at the IP", () => {
    const moved = { clientName: null, domain: "shop.example", ip: "198.51.100.1" }
    expect(verificationFault({ ...holding, request: moved, now: NOW })).toBeNull()
  })

  test("an activation made without a domain verifies without one", () => {
    const homeless = {
      license: { ...license, domains: [] },
      activation: { isActive: true, domain: null },
      request: { ...request, domain: null },
    }
    expect(verificationFault({ ...holding, ...homeless, now: NOW })).toBeNull()
  })

  test("the last instant of a license still counts", () => {
    expect(verificationFault({ ...holding, license: { ...license, expiresAt: NOW }, now: NOW })).toBeNull()
    expect(verificationFault({ ...holding, license: { ...license, expiresAt: null }, now: NOW })).toBeNull()
  })
})

describe("deactivate", () => {
  test.each(holdingFaults)("refuses: %s by %j", (fault, change) => {
    expect(deactivationFault({ ...holding, ...change })).toBe(fault)
  })

  test("gives back the activation of a license that is in order, blocked or expired", () => {
    expect(deactivationFault(holding)).toBeNull()
    expect(deactivationFault({ ...holding, license: { ...license, isValid: false, expiresAt: BEFORE } })).toBeNull()
  })
})

describe("download", () => {
  const version = { version: "1.0.0", isActive: true, releasedAt: NOW }
  const question: DownloadQuestion = { ...holding, product, version, now: NOW }

  test.each([...holdingFaults, ...validityFaults].filter(([, change]) => !("product" in change && !change.product)))(
    "refuses what does not verify: %s by %j",
    (fault, change) => {
      expect(downloadFault({ ...question, ...change } as DownloadQuestion)).toBe(fault)
    },
  )

  test.each([
    [BEFORE, NOW, null],
    [NOW, NOW, null],
    [AFTER, NOW, "updates_ended"],
    [null, NOW, "updates_ended"],
    [AFTER, null, null],
  ])("a version of %s with updates until %s: %s", (releasedAt, updatesUntil, fault) => {
    const change = { version: { ...version, releasedAt }, license: { ...license, updatesUntil } }
    expect(downloadFault({ ...question, ...change })).toBe(fault)
  })

  test("asks for no license where the product's updates need none", () => {
    const open = { product: { ...product, licenseUpdate: false }, license: null, activation: null }
    expect(downloadFault({ ...question, ...open })).toBeNull()
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
  ])("from %j to %s at once, to %s step by step", (current, newest, next) => {
    expect(offeredUpdate(product, versions, current, NOW)?.version).toBe(newest)
    expect(offeredUpdate(stepwise, versions, current, NOW)?.version).toBe(next)
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
  test("refusals and successes are told in the words that clients know", () => {
    for (const [code, sentence] of SENTENCES) {
      expect.soft(message(code, "en", { domains: "a.example, $&.example" })).toBe(sentence)
    }
  })

  test("every sentence names the same facts in every language, and is translated", () => {
    const facts = (text: string) => text.match(/\{\w+\}/g) ?? []
    for (const [code, sentences] of Object.entries(MESSAGES)) {
      for (const language of LANGUAGES) expect.soft(facts(sentences[language]), code).toEqual(facts(sentences.en))
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
  test("X-API-LANGUAGE chooses the language, by code or by name", () => {
    for (const [header, language] of HEADERS) expect.soft(languageOf(header), `${header}`).toBe(language)
  })
})
