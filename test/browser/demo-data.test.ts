// Checks what the seed leaves behind, which a first visit to the console shows.
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { base, openWindow, platform } from "./support/browser.ts"

test("counts the usage of the demo stores after their data is created", async () => {
  const headers = { Authorization: `Bearer ${platform.platform?.read_key}` }
  for (const store of ["acme", "bloom"]) {
    const response = await fetch(`${base}/api/platform/v1/stores/${store}/usage`, { headers })
    const { data } = (await response.json()) as { data: { live: boolean; usage: Record<string, number> } }
    expect(data.live).toBe(false)
    expect(data.usage.products, store).toBeGreaterThan(0)
  }
})

/** Logs in at the content API of a host and returns the token. */
async function logIn(host: string, user: { email: string; password: string } | undefined): Promise<string> {
  const headers = { "Content-Type": "application/json" }
  const { text: json } = await send(host, "/api/v1/login", { method: "POST", headers, body: JSON.stringify(user) })
  return JSON.parse(json).data.token
}

/** Sends a request to a host, which resolvers may not know. */
const send = (
  host: string,
  path: string,
  { body, ...options }: { method?: string; headers: Record<string, string>; body?: string },
) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const outgoing = request({ ...options, hostname, port, path, headers: { ...options.headers, Host: host } })
    outgoing.on("response", (response) =>
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, text: content }), reject),
    )
    outgoing.on("error", reject).end(body)
  })

test("returns 2xx for every documented GET sample of the control plane and of content", async () => {
  const { platform: keys, content, owner } = platform
  const { host } = new URL(base)
  const demoStore = `acme.${host}`
  const bearers: Record<string, string> = {
    [host]: await logIn(host, content?.user),
    [demoStore]: await logIn(demoStore, owner),
  }
  const failures: string[] = []
  let count = 0
  for (const api of ["platform", "content"]) {
    const page = await (await fetch(`${base}/docs/${api}.md`)).text()
    for (const [, sample = ""] of page.matchAll(/^curl '([^']+)'/gm)) {
      const url = new URL(sample)
      // Logging out would end the session of the other samples. Ids of events are random.
      if (url.pathname.endsWith("/logout") || /\/events\/01/.test(url.pathname)) continue
      const headers: Record<string, string> =
        api === "platform"
          ? { Authorization: `Bearer ${keys?.read_key}` }
          : {
              Authorization: `Bearer ${bearers[url.host]}`,
              ...(url.host === host && { "X-API-KEY": content?.internal_key ?? "" }),
            }
      const { status } = await send(url.host, url.pathname + url.search, { headers })
      count++
      if (status >= 300) failures.push(`${sample}: ${status}`)
    }
  }
  expect(failures).toEqual([])
  expect(count).toBeGreaterThan(50)
})

test("leaves no alert about late jobs", async () => {
  const visit = await openWindow({ js: false, width: 1280 }, { as: "operator" })
  await visit.page.goto(`${base}/console/system`)
  const row = visit.page.locator("#alerts tr", { hasText: "scheduled_jobs_late" })
  expect(await row.count()).toBe(1)
  expect(await row.textContent()).not.toContain("Firing")
  await visit.close()
})
