// Removes costs of the test runner that no test needs.

interface ModuleRunner {
  import: (url: string, options?: object) => Promise<unknown>
}

/** The runner of vitest, which is not a public API. */
declare const __vitest_mocker__: { moduleRunner: ModuleRunner }

const LEVELS = ["debug", "log", "info", "warn", "error"] as const

let importModule: ModuleRunner["import"] | undefined

/**
 * Imports the Worker once per test file. The runner imports it again for each call of a Durable Object, which takes two
 * round trips to vitest's process.
 */
export function importWorkerOnce(): void {
  const { moduleRunner } = __vitest_mocker__
  importModule ??= moduleRunner.import.bind(moduleRunner)
  const load = importModule
  let worker: Promise<unknown> | undefined
  moduleRunner.import = (url, options) => {
    if (!url.endsWith("/src/index.ts")) return load(url, options)
    worker ??= load(url)
    return worker
  }
}

/** Drops log lines, which vitest.config.ts hides, before the runner formats each and sends it to vitest's process. */
export function dropLogLines(): void {
  for (const level of LEVELS) console[level] = () => {}
}
