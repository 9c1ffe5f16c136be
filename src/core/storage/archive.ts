// Opens the bucket of the archived logs.
import { binding } from "../../bindings"
import type { Bindings } from "../../env"
import { ObjectStore } from "./object-store"

/** Returns the bucket; the keys of a log start with `<log>/`. */
export const archiveStore = (env: Bindings): ObjectStore => new ObjectStore(binding(env, "ARCHIVE"))
