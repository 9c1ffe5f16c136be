// Lets Node import the Worker's modules, whose import paths have no file extensions.
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

/** Checks for a missing module, or a directory, which Node cannot import. */
const isMissing = (cause: unknown): boolean =>
  ["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT"].includes((cause as { code?: string }).code ?? "")
