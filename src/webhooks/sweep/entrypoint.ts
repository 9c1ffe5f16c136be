// The other side of a sweep's fan-out: an invocation of its own for some of its lanes.
import { WorkerEntrypoint } from "cloudflare:workers"
import type { Env } from "../../env"
import type { Lane } from "./due"
import type { Tally } from "./lane"

export class WebhookLanes extends WorkerEntrypoint<Env> {
  /** Runs some lanes; see `runLanes`. */
  async run(lanes: Lane[], startBefore: number): Promise<Tally> {
    const [{ createContext }, { runLanes }] = await Promise.all([import("../../core/context"), import("./lane")])
    const ctx = createContext(this.env, (work) => this.ctx.waitUntil(work))
    return runLanes(ctx, lanes, startBefore)
  }
}
