// Lets Node import the Worker's own modules, which name each other without extensions, as its bundler allows.
import { registerHooks } from "node:module"

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith(".")) return next(specifier, context)
    for (const ending of ["", ".ts", ".tsx", "/index.ts"]) {
      try {
        return next(specifier + ending, context)
      } catch (cause) {
        if (!isMissing(cause)) throw cause
      }
    }
    return next(specifier, context)
  },
})

/** Whether nothing is there, or a folder, which is no module. */
const isMissing = (cause: unknown): boolean =>
  ["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT"].includes((cause as { code?: string }).code ?? "")
