// Opens browser windows and records their problems: CSP violations, exceptions, failed responses and requests to other
// hosts.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { inject } from "vitest"

export interface WindowOptions {
  js: boolean
  /** In CSS pixels. */
  width: number
}

/**
 * A phone with JavaScript and a desktop window without it: each width and each way once. `pages.test.ts` opens every
 * page in a desktop window with JavaScript.
 */
export const WINDOWS: WindowOptions[] = [
  { js: true, width: 360 },
  { js: false, width: 1280 },
]

export const describeWindow = ({ js, width }: WindowOptions): string =>
  `${width} px, ${js ? "with" : "without"} JavaScript`

export const platform = inject("platform")
export const base = platform.base_url

/** A URL on a store's host. */
export const getStoreUrl = (store: string, path = ""): string => `${base.replace("//", `//${store}.`)}${path}`

let connection: Promise<Browser> | undefined

/** Connects to the run's Chromium, once per worker. */
function getBrowser(): Promise<Browser> {
  connection ??= chromium.connect(inject("chromium"))
  return connection
}

/** Much shorter than the time after which the console asks for the password again before dangerous actions. */
const MAX_SESSION_AGE_MS = 5 * 60_000

let signedIn: { at: number; state: Promise<Awaited<ReturnType<BrowserContext["storageState"]>>> } | undefined

/** The cookies of the demo operator, who signs in once per worker, and again when the session gets old. */
function getOperatorState() {
  if (!signedIn || Date.now() - signedIn.at > MAX_SESSION_AGE_MS)
    signedIn = { at: Date.now(), state: openOperatorSession() }
  return signedIn.state
}

async function openOperatorSession() {
  const context = await (await getBrowser()).newContext()
  const page = await context.newPage()
  await signIn(page, platform.operator)
  const state = await context.storageState()
  await context.close()
  return state
}

/** The `Cookie` header of the demo operator. */
export const getOperatorCookie = async (): Promise<string> =>
  (await getOperatorState()).cookies.map(({ name, value }) => `${name}=${value}`).join("; ")

/** Signs in through the form, after opening it if necessary. */
export async function signIn(page: Page, user: { email: string; password: string } | undefined): Promise<void> {
  if (!new URL(page.url(), base).pathname.startsWith("/console/login")) await page.goto(`${base}/console/login`)
  await page.getByLabel("Email address").fill(user?.email ?? "")
  await page.getByLabel("Password").fill(user?.password ?? "")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

/** Chromium logs this for the status of a refused form, which is expected. */
const REFUSED_RESPONSE = /^Failed to load resource: the server responded with a status of (4\d\d)/

export interface Visit {
  page: Page
  /** Recorded so far. */
  problems: string[]
  close(): Promise<void>
}

/**
 * Opens a window.
 * @param options.as `operator`: with the demo operator's session; `anonymous`: without a session
 * @param options.init a script that runs first in every page, exempt from its CSP
 */
export async function openWindow(
  window: WindowOptions,
  options: { as?: "operator" | "anonymous"; colorScheme?: "light" | "dark"; locale?: string; init?: string } = {},
): Promise<Visit> {
  const { as = "operator", colorScheme = "light", locale = "en-GB", init } = options
  const context = await (await getBrowser()).newContext({
    viewport: { width: window.width, height: 800 },
    javaScriptEnabled: window.js,
    colorScheme,
    locale,
    // Resizing a window during a transition between two pages is an error to Chromium.
    reducedMotion: "reduce",
    ...(as === "operator" && { storageState: await getOperatorState() }),
  })
  if (init) await context.addInitScript({ content: init })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const problems: string[] = []
  const getPath = () => new URL(page.url(), base).pathname
  page.on("pageerror", (error) => problems.push(`${getPath()}: ${error.message}`))
  page.on("console", (message) => {
    const text = message.text()
    const isRefused =
      REFUSED_RESPONSE.test(text) && message.location().url.replace(/[?#].*/, "") === page.url().replace(/[?#].*/, "")
    if (message.type() === "error" && !isRefused) problems.push(`${getPath()}: ${text}`)
  })
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith("http") && !host.endsWith(new URL(base).host))
      problems.push(`${getPath()}: request to ${host}`)
  })
  page.on("response", (response) => {
    if (response.status() >= 500) problems.push(`${response.url()}: ${response.status()}`)
  })
  return { page, problems, close: () => context.close() }
}

/** Describes the elements that overflow the window; null when there are none. */
export async function findOverflow(page: Page): Promise<string | null> {
  return page.locator("html").evaluate((html) => {
    const { scrollWidth, clientWidth } = html
    if (scrollWidth <= clientWidth) return null
    const all: (typeof html)[] = [...html.querySelectorAll("body *")]
    const wide = all.filter((one) => one.getBoundingClientRect().right > clientWidth + 1 && !one.closest(".scroll"))
    const names = wide.slice(0, 3).map((one) => `${one.tagName.toLowerCase()}.${one.className}`)
    return `${scrollWidth} px wide: ${names.join(", ")}`
  })
}
