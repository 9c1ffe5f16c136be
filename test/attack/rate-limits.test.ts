// Every expensive operation has a rate limit that stops an attacker without blocking legitimate users. The last test
// scans `src` for calls that hash a password, send an email or call a provider, and fails for one without a row.
import { env } from "cloudflare:workers"
import { Secret, TOTP } from "otpauth"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { hashingLimits } from "../../src/core/auth/password-hashing"
import { takeTokens } from "../../src/core/http/rate-limit"
import { MINUTE } from "../../src/lib/time"
import { createBrowser, getCookie, makeOperator, PASSWORD as OPERATOR_PASSWORD, postForm } from "../console/support"
import { call, isolate, platform, run, sendOperatorCommand, type TestResponse, withSettings } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import {
  captureMails,
  content,
  hostOfStore,
  makeSettings,
  makeUser,
  parseMailLink,
  PASSWORD as USER_PASSWORD,
} from "../support/content-factories"
import { divideRateLimits } from "../support/credentials"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { makeUnlimitedStore } from "../support/full-store"
import { makeSiteKey } from "../support/key-factories"
import { makeLicenseKey, setLicenseSettings } from "../support/license-factories"
import { CARD_SETTINGS, mockProvider } from "../support/provider-factories"

/** Addresses of the attacker, of a legitimate user's first login, and of a user who has logged in before. */
const ATTACKER = "198.51.100.66"
const ELSEWHERE = "198.51.100.7"
const HOME = "192.0.2.10"

const from = (ip: string) => ({ "CF-Connecting-IP": ip })
/** Headers of a body short enough to be read before the token is looked up. */
const shortJson = (ip: string) => ({ ...from(ip), "Content-Length": "40" })

const forgedToken = (n: number) => `${n + 1}|${String(n).padStart(48, "x")}`

const getNetwork = (n: number) => `10.${n >> 8}.${n & 255}.1`

interface Scenario {
  /** The attacker's n-th request, counted from 0. */
  attack: (n: number) => Promise<TestResponse>
  /** Requests after which the attacker gets a 429. */
  maxRequests: number
  /** Asserts that legitimate users are not limited. */
  assertUsersUnaffected: () => Promise<void>
}

interface Row {
  operation: string
  /** The calls in `src` that the row covers, as file and function. */
  calls: string[]
  prepare: () => Promise<Scenario>
}

/** Number of sites whose limits (10 per minute each) add up to more than the attacker's remaining network limit. */
const SITES_OVER_NETWORK_LIMIT = 3

/** More sites than one network may use per hour to send a mailbox its first email. */
const SITES_OVER_FIRST_MAIL_LIMIT = 26

const makeSites = (sites: number) => Promise.all(Array.from({ length: sites }, () => makeReadyStore()))

/** Consumes 90 of the attacker's 100 hashes, to keep the tests fast. */
const consumeAllButTenHashes = () =>
  run(async (ctx) => {
    const limits = hashingLimits({ address: ATTACKER })
    for (let n = 0; n < 90; n += 1) await takeTokens(ctx.env, ctx.log, limits)
  })

const getHost = (sites: string[], n: number) => hostOfStore(sites[n % sites.length] ?? "")

const logIn = (host: string, email: string, password: string, ip: string) =>
  content("POST", "/login", { host, json: { email, password }, headers: from(ip) })

/** Creates a user who has logged in at home. */
async function makeVictim(site = "central", overrides: Parameters<typeof makeUser>[1] = {}) {
  const host = site === "central" ? "localhost" : hostOfStore(site)
  const user = await makeUser(site, overrides)
  expect((await logIn(host, user.email, USER_PASSWORD, HOME)).status).toBe(200)
  return { ...user, host }
}

const newPassword = { password: "another-pass", password_confirmation: "another-pass" }

/** Creates an operator with a session from home. */
async function makeSignedInOperator() {
  const email = await makeOperator()
  const signIn = (ip: string, fields: Record<string, string> = {}) =>
    postForm("/console/login", { email, password: OPERATOR_PASSWORD, ...fields }, { headers: from(ip) })
  const home = createBrowser(getCookie(await signIn(HOME)))
  return { email, signIn, home }
}

const ROWS: Row[] = [
  {
    operation: "failed logins from one network across many sites",
    calls: ["content/accounts/sessions.ts attemptLogin"],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      await consumeAllButTenHashes()
      const victim = await makeVictim(sites[0])
      const bystander = await makeUser(sites[0])
      return {
        attack: (n) => logIn(getHost(sites, n), victim.email, "wrong-wrong", ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () => {
          expect((await logIn(victim.host, victim.email, USER_PASSWORD, HOME)).status).toBe(200)
          expect((await logIn(victim.host, bystander.email, USER_PASSWORD, ELSEWHERE)).status).toBe(200)
        },
      }
    },
  },
  {
    operation: "right logins of one network over many sites",
    calls: [],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      await consumeAllButTenHashes()
      const own = await Promise.all(sites.map((site) => makeUser(site)))
      const bystander = await makeUser(sites[0])
      return {
        attack: (n) =>
          logIn(getHost(sites, n), own[n % SITES_OVER_NETWORK_LIMIT]?.email ?? "", USER_PASSWORD, ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () =>
          expect((await logIn(getHost(sites, 0), bystander.email, USER_PASSWORD, ELSEWHERE)).status).toBe(200),
      }
    },
  },
  {
    operation: "failed logins from many networks to one account",
    calls: [],
    prepare: async () => {
      const victim = await makeVictim()
      return {
        attack: (n) => logIn(victim.host, victim.email, "wrong-wrong", getNetwork(n)),
        maxRequests: 11,
        assertUsersUnaffected: async () =>
          expect((await logIn(victim.host, victim.email, USER_PASSWORD, HOME)).status).toBe(200),
      }
    },
  },
  {
    operation: "sign-ins to the billing pages of many stores",
    calls: [],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      await consumeAllButTenHashes()
      const owner = await makeVictim(sites[0], { isStaff: true })
      const signIn = (host: string, password: string, ip: string) =>
        postForm(
          "/billing/sign-in",
          { email: owner.email, password },
          { host, headers: { ...from(ip), Origin: `http://${host}` } },
        )
      return {
        attack: (n) => signIn(getHost(sites, n), "wrong-wrong", ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () => expect((await signIn(owner.host, USER_PASSWORD, HOME)).status).toBe(303),
      }
    },
  },
  {
    operation: "registrations at many sites",
    calls: ["content/accounts/routes.ts countHashing", "content/accounts/register.ts buildAccountMailWrite"],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      await consumeAllButTenHashes()
      await Promise.all(sites.map((site) => makeSettings(site, { emailVerification: true })))
      const mails = captureMails()
      const register = (host: string, email: string, ip: string) =>
        content("POST", "/register", { host, headers: from(ip), json: { name: "Ada Byron", email, ...newPassword } })
      return {
        // Every other registration sends its mail to the address that registers later.
        attack: (n) => register(getHost(sites.slice(1), n), n % 2 ? `n${n}@example.com` : "ada@example.com", ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () => {
          const sent = mails.length
          expect((await register(getHost(sites, 0), "ada@example.com", ELSEWHERE)).status).toBe(201)
          expect(mails.slice(sent).map(({ to }) => to)).toEqual(["ada@example.com"])
        },
      }
    },
  },
  {
    operation: "guesses at mailed tokens, by the API and by the pages",
    calls: [
      "content/accounts/routes.ts countHashing",
      "pages/account/routes.tsx countHashing",
      "pages/account/routes.tsx countHashing",
    ],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      await consumeAllButTenHashes()
      const mails = captureMails()
      const victim = await makeUser(sites[0])
      const host = getHost(sites, 0)
      const guess = { email: victim.email, token: "x", ...newPassword }
      return {
        attack: (n) =>
          n % 2
            ? content("POST", "/password/reset", { host: getHost(sites, n >> 1), headers: from(ATTACKER), json: guess })
            : postForm(
                n % 4 ? "/account/reset-password" : "/account/invitation",
                { ...guess, name: "Eve" },
                { host: getHost(sites, n >> 1), headers: from(ATTACKER) },
              ),
        maxRequests: 11,
        assertUsersUnaffected: async () => {
          const json = { email: victim.email }
          await content("POST", "/password/forgot", { host, headers: from(ELSEWHERE), json })
          const reset = { ...guess, token: parseMailLink(mails[0]).token }
          const response = await content("POST", "/password/reset", { host, headers: from(ELSEWHERE), json: reset })
          expect(response.status).toBe(200)
        },
      }
    },
  },
  {
    operation: "email address changes and account deletions",
    calls: [
      "content/accounts/routes.ts countHashing",
      "content/accounts/routes.ts countHashing",
      "content/accounts/profile.ts buildAccountMailWrite",
      "content/accounts/profile.ts buildAccountMailWrite",
    ],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      await consumeAllButTenHashes()
      const own = await Promise.all(sites.map((site) => makeUser(site)))
      const bystander = await makeUser(sites[0])
      const put = (host: string, token: string, current_password: string, ip: string) =>
        content("PUT", "/me", {
          host,
          token,
          headers: from(ip),
          json: { email: "moved@example.com", current_password },
        })
      const guess = (n: number) => {
        const token = own[n % SITES_OVER_NETWORK_LIMIT]?.token ?? ""
        if (n % 2) return put(getHost(sites, n), token, "wrong-wrong", ATTACKER)
        const json = { current_password: "wrong-wrong" }
        return content("DELETE", "/me", { host: getHost(sites, n), token, headers: from(ATTACKER), json })
      }
      return {
        attack: guess,
        maxRequests: 11,
        assertUsersUnaffected: async () =>
          expect((await put(getHost(sites, 0), bystander.token, USER_PASSWORD, ELSEWHERE)).status).toBe(200),
      }
    },
  },
  {
    operation: "password changes",
    calls: ["content/accounts/routes.ts countHashing"],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      await consumeAllButTenHashes()
      const own = await Promise.all(sites.map((site) => makeUser(site)))
      const bystander = await makeUser(sites[0])
      const put = (host: string, token: string, old_password: string, ip: string) =>
        content("PUT", "/update/password", { host, token, headers: from(ip), json: { old_password, ...newPassword } })
      return {
        // Each costs two hashes.
        attack: (n) => put(getHost(sites, n), own[n % SITES_OVER_NETWORK_LIMIT]?.token ?? "", "wrong-wrong", ATTACKER),
        maxRequests: 6,
        assertUsersUnaffected: async () =>
          expect((await put(getHost(sites, 0), bystander.token, USER_PASSWORD, ELSEWHERE)).status).toBe(200),
      }
    },
  },
  {
    operation: "requests for reset mails to one mailbox",
    calls: ["content/accounts/passwords.ts buildAccountMailWrite"],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_FIRST_MAIL_LIMIT)
      const mails = captureMails()
      await Promise.all(sites.map((site) => makeUser(site, { email: "ada@example.com" })))
      const sendRequest = (host: string, ip: string) =>
        content("POST", "/password/forgot", { host, headers: from(ip), json: { email: "ada@example.com" } })
      return {
        attack: (n) => sendRequest(getHost(sites.slice(1), n), ATTACKER),
        maxRequests: 31,
        assertUsersUnaffected: async () => {
          const sent = mails.length
          expect((await sendRequest(getHost(sites, 0), ELSEWHERE)).status).toBe(200)
          expect(mails.slice(sent).map((mail) => parseMailLink(mail).host)).toEqual([getHost(sites, 0)])
          expect((await sendRequest(getHost(sites, 1), ELSEWHERE)).status).toBe(200)
        },
      }
    },
  },
  {
    operation: "requests for verification mails to one mailbox",
    calls: ["content/accounts/verification.ts buildAccountMailWrite"],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_FIRST_MAIL_LIMIT)
      const mails = captureMails()
      for (const site of sites) {
        await makeSettings(site, { emailVerification: true })
        await makeUser(site, { email: "ada@example.com" })
      }
      const sendRequest = (host: string, ip: string) =>
        content("POST", "/resend-verify-account-email", { host, headers: from(ip), json: { email: "ada@example.com" } })
      return {
        attack: (n) => sendRequest(getHost(sites.slice(1), n), ATTACKER),
        maxRequests: 31,
        assertUsersUnaffected: async () => {
          const sent = mails.length
          expect((await sendRequest(getHost(sites, 0), ELSEWHERE)).status).toBe(200)
          expect(mails.slice(sent).map((mail) => parseMailLink(mail).host)).toEqual([getHost(sites, 0)])
        },
      }
    },
  },
  {
    operation: "incorrect console passwords from one network and from many",
    calls: ["platform/operators/sign-in.ts attemptLogin"],
    prepare: async () => {
      const { signIn } = await makeSignedInOperator()
      const another = await makeSignedInOperator()
      return {
        attack: (n) => signIn(n % 2 ? ATTACKER : getNetwork(n), { password: "wrong" }),
        maxRequests: 11,
        assertUsersUnaffected: async () => {
          expect((await signIn(HOME)).status).toBe(303)
          expect((await another.signIn(ELSEWHERE)).status).toBe(303)
        },
      }
    },
  },
  {
    operation: "incorrect two-factor codes with a correct console password",
    calls: [],
    prepare: async () => {
      const { signIn, home } = await makeSignedInOperator()
      await home.post("/console/account/totp")
      const page = (await home.get("/console/account")).text
      const totp = new TOTP({ secret: Secret.fromBase32(/<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1] ?? "") })
      await home.post("/console/account/totp/enable", { code: totp.generate() })
      return {
        // Slow enough to reach only the daily limit.
        attack: (n) => {
          vi.setSystemTime(Date.now() + MINUTE / 5)
          return signIn(getNetwork(n), { code: "000000" })
        },
        maxRequests: 51,
        assertUsersUnaffected: async () => {
          const response = await signIn(HOME, { code: totp.generate({ timestamp: Date.now() }) })
          expect([response.status, response.headers.get("Location")]).toEqual([303, "/console"])
        },
      }
    },
  },
  {
    operation: "password guesses with a stolen console session, in confirmations",
    calls: ["platform/operators/sessions.ts permitHashing"],
    prepare: async () => {
      const { signIn, home } = await makeSignedInOperator()
      const stolen = createBrowser(getCookie(await signIn(ELSEWHERE)))
      vi.setSystemTime(Date.now() + 11 * MINUTE)
      const form = { name: "Key", scopes: "read" }
      return {
        attack: (n) =>
          stolen.post("/console/keys", { ...form, confirm_password: "wrong" }, { headers: from(getNetwork(n)) }),
        maxRequests: 11,
        assertUsersUnaffected: async () => {
          const confirmed = { ...form, confirm_password: OPERATOR_PASSWORD }
          const response = await home.post("/console/keys", confirmed, { headers: from(HOME) })
          expect(response.text).toMatch(/tnk_/)
        },
      }
    },
  },
  {
    operation: "password guesses with a stolen console session, in password changes",
    calls: ["platform/operators/account.ts permitHashing"],
    prepare: async () => {
      const { signIn, home } = await makeSignedInOperator()
      const stolen = createBrowser(getCookie(await signIn(ELSEWHERE)))
      const change = { password: "another good password", password_confirmation: "another good password" }
      return {
        attack: (n) =>
          stolen.post(
            "/console/account/password",
            { ...change, current_password: "wrong" },
            { headers: from(getNetwork(n)) },
          ),
        maxRequests: 11,
        assertUsersUnaffected: async () => {
          const right = { ...change, current_password: OPERATOR_PASSWORD }
          expect((await home.post("/console/account/password", right, { headers: from(HOME) })).status).toBe(303)
        },
      }
    },
  },
  {
    operation: "sign-ups",
    calls: ["platform/signups/service.ts permitHashing", "platform/signups/service.ts buildMailWrite"],
    prepare: async () => {
      const plan = (await makePlan()).slug
      const signUp = (n: number, ip: string) =>
        call("POST", "/signup", {
          headers: from(ip),
          json: { name: "Shop", subdomain: `shop-${n}`, email: `n${n}@example.com`, password: "correct-horse", plan },
        })
      return {
        attack: (n) => signUp(n, ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () => expect((await signUp(500, ELSEWHERE)).status).toBe(202),
      }
    },
  },
  {
    operation: "coupon code guesses",
    calls: [],
    prepare: async () => {
      const plan = (await makePlan()).slug
      const guess = (n: number, ip: string, coupon?: string) =>
        call("POST", "/signup", {
          headers: from(ip),
          json: { name: "Shop", subdomain: `guess-${n}`, email: `g${n}@example.com`, plan, coupon },
        })
      return {
        attack: (n) => guess(n, ATTACKER, `CODE${n}`),
        maxRequests: 61,
        assertUsersUnaffected: async () => expect((await guess(500, ELSEWHERE)).status).toBe(202),
      }
    },
  },
  {
    operation: "passwords sent to sign-up confirmation links",
    calls: ["platform/signups/service.ts permitHashing"],
    prepare: async () => {
      const plan = (await makePlan()).slug
      const reserve = async (n: number) => {
        const json = { name: "Shop", subdomain: `kiln-${n}`, email: `kiln${n}@example.com`, plan }
        expect((await call("POST", "/signup", { headers: from(getNetwork(n)), json })).status).toBe(202)
        return /confirm\?token=(\S+)/.exec((await collectSentMails())[0]?.text ?? "")?.[1]
      }
      const confirm = async (token: string | undefined, ip: string) =>
        call("POST", "/signup/confirm", { headers: from(ip), json: { token, password: "correct-horse" } })
      return {
        attack: async (n) => confirm(await reserve(n), ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () => expect((await confirm(await reserve(500), ELSEWHERE)).status).toBe(202),
      }
    },
  },
  {
    operation: "avatar uploads",
    calls: [],
    prepare: async () => {
      const [attacker, bystander] = [await makeUser(), await makeUser()]
      const upload = (token: string, ip: string) => {
        const form = new FormData()
        form.set("avatar", new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13])]), "a.png")
        return content("POST", "/update/avatar", { token, body: form, headers: from(ip) })
      }
      return {
        attack: () => upload(attacker.token, ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () => expect((await upload(bystander.token, ATTACKER)).status).toBe(200),
      }
    },
  },
  {
    operation: "requests for the list of one's stores",
    calls: ["platform/signups/service.ts buildMailWrite"],
    prepare: async () => {
      const sendRequest = (email: string, ip: string) =>
        call("POST", "/sign-in", { headers: from(ip), json: { email } })
      return {
        attack: (n) => sendRequest(`n${n}@example.com`, ATTACKER),
        maxRequests: 21,
        assertUsersUnaffected: async () => expect((await sendRequest("ada@example.com", ELSEWHERE)).status).toBe(202),
      }
    },
  },
  {
    operation: "card payments",
    calls: ["content/billing/owner.ts openCheckout", "content/billing/owner.ts createPortal"],
    prepare: async () => {
      mockProvider()
      const plans = await Promise.all(["a", "b"].map((name) => makePlan({ stripe_price: `price_${name}` })))
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      const owners = await Promise.all(sites.map((site) => makeUser(site, { isStaff: true })))
      const post = (n: number, path: string, ip: string, json: object = {}) => {
        const token = owners[n % SITES_OVER_NETWORK_LIMIT]?.token
        return content("POST", path, { host: getHost(sites, n), token, headers: from(ip), json, env: CARD_SETTINGS })
      }
      const checkOut = (n: number, ip: string) => post(n, "/billing/checkout", ip, { plan: plans[(n >> 1) % 2]?.slug })
      return {
        // The last site is left for the legitimate user.
        attack: (n) => (n % 4 < 2 ? checkOut(n % 2, ATTACKER) : post(n % 2, "/billing/portal", ATTACKER)),
        maxRequests: 61,
        assertUsersUnaffected: async () => expect((await checkOut(2, ELSEWHERE)).status).toBe(200),
      }
    },
  },
  {
    operation: "orders by bank transfer",
    calls: ["content/billing/owner.ts requestOrder"],
    prepare: async () => {
      await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
      const plan = await makePlan()
      const sites = await makeSites(2)
      const owners = await Promise.all(sites.map((site) => makeUser(site, { isStaff: true })))
      const client = (n: number, ip: string) => ({
        host: getHost(sites, n),
        token: owners[n]?.token,
        headers: from(ip),
      })
      const order = (n: number, ip: string) =>
        content("POST", "/billing/orders", { ...client(n, ip), json: { plan: plan.slug } })
      return {
        attack: async () => {
          const response = await order(0, ATTACKER)
          const { reference } = response.body.data ?? {}
          if (reference) await content("DELETE", `/billing/orders/${reference}`, client(0, ATTACKER))
          return response
        },
        maxRequests: 31,
        assertUsersUnaffected: async () => expect((await order(1, ELSEWHERE)).status).toBe(201),
      }
    },
  },
  {
    operation: "devices of anonymous apps at many sites",
    calls: [],
    prepare: async () => {
      const sites = await makeSites(SITES_OVER_NETWORK_LIMIT)
      const register = (n: number, ip: string, token?: string) =>
        content("POST", "/device-tokens", {
          host: getHost(sites, n),
          token,
          headers: from(ip),
          json: { token: `device-${n}` },
        })
      const { token } = await makeUser(sites[0])
      return {
        attack: (n) => register(n, ATTACKER),
        maxRequests: 121,
        assertUsersUnaffected: async () => {
          expect((await register(999, ELSEWHERE)).status).toBe(200)
          expect((await register(SITES_OVER_NETWORK_LIMIT * 400, ATTACKER, token)).status).toBe(200)
        },
      }
    },
  },
  {
    operation: "media requests with a site's public API key",
    calls: [],
    prepare: async () => {
      const { id, host } = await makeUnlimitedStore()
      const key = await makeSiteKey(id)
      const list = (ip: string) =>
        call("GET", "/api/v1/media/files", { host, headers: { "X-API-KEY": key, ...from(ip) } })
      return {
        attack: () => list(ATTACKER),
        maxRequests: 61,
        assertUsersUnaffected: async () => expect((await list(ELSEWHERE)).status).toBe(200),
      }
    },
  },
  {
    operation: "forged license keys",
    calls: [],
    prepare: async () => {
      const key = await makeLicenseKey()
      const limits = { lm_requests_rate_limiting_period: "20", lm_requests_rate_limiting_method: "api_key" }
      await setLicenseSettings(limits)
      const names = vi.spyOn(env.RATE_LIMIT, "idFromName")
      const connect = (presented: string, ip: string) =>
        call("GET", "/api/external/connection-check", { headers: { "X-API-KEY": presented, ...from(ip) } })
      return {
        attack: (n) => connect(`forged-${n}`, ATTACKER),
        maxRequests: 21,
        assertUsersUnaffected: async () => {
          expect(new Set(names.mock.calls.map(([name]) => name))).toEqual(new Set([`license:ip:${ATTACKER}`]))
          // A valid key has its own limit, also on the attacker's network.
          for (const ip of [ELSEWHERE, ATTACKER]) expect((await connect(key, ip)).status).toBe(200)
        },
      }
    },
  },
  {
    operation: "forged control plane keys",
    calls: [],
    prepare: async () => {
      isolate.env = withSettings({ TENANCY_API_RATE_LIMIT_PER_IP: "20" })
      const token = await makeKey()
      const sendRequest = (presented: string, ip: string) =>
        platform("GET", "/me", { token: presented, headers: from(ip) })
      return {
        attack: (n) => sendRequest(`tnk_aaaaaaaa_${String(n).padEnd(40, "x")}`, ATTACKER),
        maxRequests: 21,
        assertUsersUnaffected: async () => expect((await sendRequest(token, ELSEWHERE)).status).toBe(200),
      }
    },
  },
  {
    operation: "forged operator tokens",
    calls: [],
    prepare: async () => {
      const sendRequest = (token: string, ip: string) => call("GET", "/api/operator/v1", { token, headers: from(ip) })
      return {
        attack: (n) => sendRequest(`guess${n}`, ATTACKER),
        maxRequests: 11,
        assertUsersUnaffected: async () =>
          expect((await sendRequest(String(env.OPERATOR_TOKEN), ELSEWHERE)).status).toBe(200),
      }
    },
  },
]

/** Calls that need no row, and the reason. */
const EXEMPT: Record<string, string> = {
  "platform/payments/provider.ts createPortal": "declares the method",
  "core/auth/login-attempts.ts permitHashing": "its callers have rows",
  "content/rate-limits.ts permitHashing": "its callers have rows",
  "license/marketplace/service.ts lookUpSale": "refused without 429: test/license/external.test.ts",
  "admin/pages/account.tsx countHashing": "counts like the routes of the profile, which have rows",
  "admin/pages/security.tsx countHashing": "counts like the routes of the profile, which have rows",
  "admin/pages/close.tsx countHashing": "counts like the routes of the profile, which have rows",
  "storefront/visitor/account/pages.ts countHashing": "counts like the routes of accounts, which have rows",
  "storefront/visitor/account/deletion.tsx countHashing": "counts like the routes of accounts, which have rows",
  "console/pages/billing.tsx requestOrder": "called by an admin of the console",
  "operator/billing-commands.ts requestOrder": "requires the operator token",
  "platform/stores/create.ts hashForAdmin": "requires an API key or an admin, each rate limited",
  "platform/operators/service.ts hashForAdmin": "requires the operator token or an admin",
  "content/shop/contact-email.ts buildAccountMailWrite": "limited per shop: test/content/contact-email.test.ts",
  "content/staff/invitations.ts buildAccountMailWrite": "limited per store: test/content/staff.test.ts",
  "platform/operators/invitations.ts buildMailWrite": "limited per admin: test/console/operator-invitations.test.ts",
  "platform/operators/invitations.ts permitHashing": "requires the signed link of an invitation",
  "core/mail/attempts.ts sendMail": "sends mails that a commit stored",
  "content/mails/outbox.ts sendLeasedMail": "sends mails that a commit stored",
  "mails/outbox.ts sendLeasedMail": "sends mails that a commit stored",
  "platform/alerts/service.ts buildMailWrite": "runs on a schedule",
  "platform/exports/run.ts buildMailWrite": "follows an export, which a store can start once a day",
  "platform/orders/digest.ts buildMailWrite": "runs on a schedule",
  "platform/stores/provision.ts buildMailWrite": "runs once per store",
  "platform/orders/mail.ts buildMailWrite": "follows an operator's decision on an order, or its payment",
  "platform/support/service.ts buildMailWrite": "follows an admin's support access",
  "platform/payments/receive.ts buildMailWrite": "requires a signed provider webhook",
  "platform/subscriptions/commit-transition.ts buildMailWrite": "follows a change of a subscription",
  "platform/invoices/issue.ts buildMailWrite": "follows a payment",
  "platform/invoices/service.ts buildMailWrite": "requires the operator token",
  "platform/stores/owner-mail.ts buildMailWrite": "follows an operator's action in the console",
  "platform/stores/service.ts buildMailWrite": "requires an API key or an operator",
  "platform/domains/claims.ts buildMailWrite": "runs once per claim, which requires a DNS record of the domain",
  "webhooks/disabled-mail.ts buildMailWrite": "runs once per disabled endpoint",
}

beforeEach(() => {
  // Freezes the windows of the rate limits.
  vi.useFakeTimers({ toFake: ["Date"] })
})
afterEach(() => void vi.useRealTimers())

test.each(ROWS)(
  "limits $operation with 429, without limiting legitimate users",
  async ({ prepare }) => {
    const { attack, maxRequests, assertUsersUnaffected } = await prepare()
    let isLimited = false
    for (let n = 0; n < maxRequests && !isLimited; n += 1) {
      const { status, text } = await attack(n)
      if (status >= 500) throw new Error(`request ${n} returned ${status} ${text}`)
      isLimited = status === 429
    }
    expect(isLimited).toBe(true)
    await assertUsersUnaffected()
  },
  180_000,
)

test("concurrent password guesses from one network against many accounts lock out no owner", async () => {
  const [site = ""] = await makeSites(1)
  const host = hostOfStore(site)
  const victims = await Promise.all(Array.from({ length: 5 }, () => makeUser(site)))
  const guesses = Array.from({ length: 11 }, () => victims.map(({ email }) => email)).flat()
  const responses = await Promise.all(guesses.map((email) => logIn(host, email, "wrong-wrong", ATTACKER)))
  expect(responses.filter(({ status }) => status === 422)).toHaveLength(10)
  for (const [n, { email }] of victims.entries()) {
    expect((await logIn(host, email, USER_PASSWORD, getNetwork(n))).status).toBe(200)
  }
})

test("one network creates at most about 600 rate-limit objects a minute with forged tokens", async () => {
  divideRateLimits(10)
  const names = vi.spyOn(env.RATE_LIMIT, "idFromName")
  for (let n = 0; n < 70; n += 1) {
    const headers = shortJson(ATTACKER)
    const response = await content("POST", "/device-tokens", {
      token: forgedToken(n),
      headers,
      json: { token: "device" },
    })
    // A forged token counts as none, and so does its network's limit of anonymous devices.
    expect(response.status).toBe(n < 6 ? 200 : 429)
  }
  const objects = new Set(names.mock.calls.map(([name]) => name))
  expect(objects.size).toBeGreaterThan(60)
  expect(objects.size).toBeLessThanOrEqual(66)
})

test("requests without a valid login do not use up the limits of a store or of their network", async () => {
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  const plan = await makePlan()
  const [site = ""] = await makeSites(1)
  const owner = await makeUser(site, { isStaff: true })
  const order = (token: string) =>
    content("POST", "/billing/orders", {
      host: hostOfStore(site),
      token,
      headers: shortJson(HOME),
      json: { plan: plan.slug },
    })
  const form = { "Content-Type": "multipart/form-data; boundary=x" }
  const upload = (token: string) =>
    content("POST", "/update/avatar", { host: hostOfStore(site), token, headers: { ...from(HOME), ...form } })
  const uploadJson = (token: string) =>
    content("POST", "/update/avatar", { host: hostOfStore(site), token, headers: shortJson(HOME), json: {} })
  for (let n = 1; n <= 130; n += 1) {
    expect((await order(forgedToken(n))).status).toBe(401)
    expect((await upload(forgedToken(n))).status).toBe(401)
    expect((await uploadJson(forgedToken(n))).status).toBe(401)
  }
  expect((await order(owner.token)).status).toBe(201)
  const picture = new FormData()
  picture.set("avatar", new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13])]), "a.png")
  const options = { host: hostOfStore(site), token: owner.token, headers: from(HOME), body: picture }
  expect((await content("POST", "/update/avatar", options)).status).toBe(200)
})

test("every call that hashes a password, sends a mail or calls a provider has a row or an exemption", () => {
  const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true })
  const COSTLY_CALL =
    /(?<!function )\b(permitHashing|countHashing|attemptLogin|hashForAdmin|sendMail|sendLeasedMail|buildAccountMailWrite|buildMailWrite|openCheckout|createPortal|requestOrder|lookUpSale)\(/g
  const found = Object.entries(sources).flatMap(([path, text]) =>
    [...text.matchAll(COSTLY_CALL)].map(([, name]) => `${path.replace("../../src/", "")} ${name}`),
  )
  expect(found.filter((name) => !(name in EXEMPT)).sort()).toEqual(ROWS.flatMap(({ calls }) => calls).sort())
  expect(Object.keys(EXEMPT).filter((name) => !found.includes(name))).toEqual([])
})
