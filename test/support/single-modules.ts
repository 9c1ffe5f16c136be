// Makes each runtime of a test run fetch modules one at a time. Before each file, vitest sends a runtime every module
// that the file imports, in one message, although its isolate has almost all of them. The message costs most of a second,
// and closes the WebSocket of the runtime, and with it the run, when it exceeds workerd's limit of 32 MiB.
import type { PoolRunnerInitializer, TestProject } from "vitest/node"

/** A request of a runtime for modules (birpc). */
interface Request {
  t: "q"
  i: string
  m: string
}

const isForAllModules = (message: unknown): message is Request =>
  typeof message === "object" && message !== null && "m" in message && message.m === "fetchWarmModules"

/** Lets a pool's runtimes fetch modules one at a time. */
const limitModules = (pool: PoolRunnerInitializer): PoolRunnerInitializer => ({
  ...pool,
  createPoolWorker(options) {
    const worker = pool.createPoolWorker(options)
    const on = worker.on.bind(worker)
    worker.on = (event, callback) =>
      on(event, (message: unknown) => {
        if (event !== "message" || !isForAllModules(message)) return callback(message)
        // Without modules, the runtime requests each that it lacks.
        worker.send({ t: "s", i: message.i, r: null } as never)
      })
    return worker
  },
})

/** Extends the configuration of Vite. Must follow the Workers' plug-in, which sets the project's pool. */
export const singleModules = {
  name: "single-modules",
  configureVitest({ project }: { project: TestProject }) {
    const { poolRunner } = project.config
    if (poolRunner) project.config.poolRunner = limitModules(poolRunner)
  },
}
