// A browser window as one person has it, whose every fault is written down: what the policy stopped, what threw, what was asked of
// anybody else, and what did not fit the window.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { inject } from "vitest"

/** How a page is looked at. */
export interface Window {
  js: boolean
  /** Of the window, in CSS pixels. */
  width: number
}

/** A telephone and a desk, with JavaScript and without. */
export const WINDOWS: Window[] = [360, 1280].flatMap((width) => [true, false].map((js) => ({ js, width })))

export const nameOf = ({ js, width }: Window): string => `${width} px, ${js ? "with" : "without"} JavaScript`

export const platform = inject("platform")
export const base = platform.base_url

/** The address of a store's host. */
export const storeUrl = (store: string, path = ""): string => `${base.replace("//", `//${store}.`)}${path}`

let connection: Promise<Browser> | undefined

/** The run's Chromium; each worker has one connection to it. */
function browser(): Promise<Browser> {
  connection ??= chromium.connect(inject("chromium"))
  return connection
}

let signedIn: Promise<Awaited<ReturnType<BrowserContext["storageState"]>>> | undefined

/** The cookies of the demo operator, who signs in once a worker. */
function operatorState() {
  signedIn ??= (async () => {
    const context = await (await browser()).newContext()
    const page = await context.newPage()
    await signIn(page, platform.operator)
    const state = await context.storageState()
    await context.close()
    return state
  })()
  return signedIn
}

/** The demo operator's session as the head of a request has it. */
export const operatorCookie = async (): Promise<string> =>
  (await operatorState()).cookies.map(({ name, value }) => `${name}=${value}`).join("; ")

/** Fills the sign-in in, from wherever one is. */
export async function signIn(page: Page, who: { email: string; password: string } | undefined): Promise<void> {
  if (!new URL(page.url(), base).pathname.startsWith("/console/login")) await page.goto(`${base}/console/login`)
  await page.getByLabel("E-mail address").fill(who?.email ?? "")
  await page.getByLabel("Password").fill(who?.password ?? "")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
}

/** What a console line may say without being a fault: an answer that a form was refused with, told as the page that it is. */
const REFUSED = /^Failed to load resource: the server responded with a status of (4\d\d)/

export interface Visit {
  page: Page
  /** What was wrong so far, in words. */
  faults: string[]
  close(): Promise<void>
}

/**
 * Opens a window.
 * @param options.as `operator`: the demo operator is signed in; `nobody`: nobody is
 * @param options.init a script that every page of it runs first, past the page's policy
 */
export async function open(
  window: Window,
  options: { as?: "operator" | "nobody"; colorScheme?: "light" | "dark"; locale?: string; init?: string } = {},
): Promise<Visit> {
  const { as = "operator", colorScheme = "light", locale = "en-GB", init } = options
  const context = await (await browser()).newContext({
    viewport: { width: window.width, height: 800 },
    javaScriptEnabled: window.js,
    colorScheme,
    locale,
    ...(as === "operator" && { storageState: await operatorState() }),
  })
  if (init) await context.addInitScript({ content: init })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const faults: string[] = []
  const where = () => new URL(page.url(), base).pathname
  page.on("pageerror", (error) => faults.push(`${where()}: ${error.message}`))
  page.on("console", (message) => {
    const text = message.text()
    const isRefused =
      REFUSED.test(text) && message.location().url.replace(/[?#].*/, "") === page.url().replace(/[?#].*/, "")
    if (message.type() === "error" && !isRefused) faults.push(`${where()}: ${text}`)
  })
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith("http") && !host.endsWith(new URL(base).host)) faults.push(`${where()}: asked ${host}`)
  })
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.url()}: ${response.status()}`)
  })
  return { page, faults, close: () => context.close() }
}

/** What sticks out of the window; null when nothing does. */
export async function overflow(page: Page): Promise<string | null> {
  return page.locator("html").evaluate((html) => {
    const { scrollWidth, clientWidth } = html
    if (scrollWidth <= clientWidth) return null
    const all: (typeof html)[] = [...html.querySelectorAll("body *")]
    const wide = all.filter((one) => one.getBoundingClientRect().right > clientWidth + 1 && !one.closest(".scroll"))
    const names = wide.slice(0, 3).map((one) => `${one.tagName.toLowerCase()}.${one.className}`)
    return `${scrollWidth} px wide: ${names.join(", ")}`
  })
}
