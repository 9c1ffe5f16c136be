// Measures the Worker's bundle size and startup time against their budgets.
import { join } from "node:path"
import { MAX_BUNDLE_GZIP_KB, measureBundleSize, measureStartupCpu } from "../tools/lib/bundle.ts"
import { getMedian } from "./lib/load.ts"
import type { Topic } from "./lib/topic.ts"

const KB = 1024

export const bundle: Topic = async ({ directory }) => {
  const size = measureBundleSize(join(directory, "platform"))
  const starts = []
  for (let run = 0; run < 3; run += 1) starts.push(await measureStartupCpu(join(directory, "startup.cpuprofile")))
  return [
    ["", "measured", "budget"],
    ["bundle", `${Math.round(size.raw / KB)} KB`, ""],
    ["bundle, gzip", `${Math.round(size.gzip / KB)} KB`, `${MAX_BUNDLE_GZIP_KB} KB`],
    ["start-up CPU, median of 3", `${getMedian(starts).toFixed(1)} ms`, "50 ms"],
  ]
}
