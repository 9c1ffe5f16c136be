// Starts a new runtime after some test files. Files share an isolate, which keeps their modules and grows; the runtime
// once died in the last files of a long run.
import type { PoolRunnerInitializer, TestProject } from "vitest/node"

/** Test files that one runtime runs. */
const MAX_FILES = 70

/** Lets a pool's runtimes run at most MAX_FILES files. */
const recycle = (pool: PoolRunnerInitializer): PoolRunnerInitializer => ({
  ...pool,
  createPoolWorker(options) {
    const worker = pool.createPoolWorker(options)
    let files = 0
    const send = worker.send.bind(worker)
    worker.send = (message) => {
      if (message.type === "run") files++
      send(message)
    }
    worker.canReuse = () => files < MAX_FILES
    return worker
  },
})

/** Extends the configuration of Vite. Must follow the Workers' plug-in, which sets the project's pool. */
export const recycledRuntime = {
  name: "recycled-runtime",
  configureVitest({ project }: { project: TestProject }) {
    const { poolRunner } = project.config
    if (poolRunner) project.config.poolRunner = recycle(poolRunner)
  },
}
