// Measures requests per second of the control plane against a bare Worker that makes the same number of calls.
import { measureThroughput } from "./lib/load.ts"
import type { Topic } from "./lib/topic.ts"

/** Required share of the bare Worker's throughput. */
const BUDGET = "70 %"

export const platform: Topic = async ({ urls, key, store }) => {
  const headers = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": "203.0.113.7", Accept: "application/json" }
  const rows = [["requests/s, median of 5", "platform", "bare", "ratio", "budget"]]
  for (const path of ["/platform", `/stores/${store}`]) {
    const measured = await measureThroughput({
      platform: { url: `${urls.platform}/api/platform/v1${path}`, headers },
      bare: { url: `${urls.bare}/api/platform/v1${path}`, headers },
    })
    const ratio = `${Math.round((measured.platform / measured.bare) * 100)} %`
    rows.push([
      `GET ${path}`,
      measured.platform.toFixed(0),
      measured.bare.toFixed(0),
      ratio,
      path === "/platform" ? "" : BUDGET,
    ])
  }
  return rows
}
