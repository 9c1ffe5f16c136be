// Opens the bucket of the stores' media libraries.
import { binding } from "../../bindings"
import type { Bindings } from "../../env"
import { ObjectStore } from "./object-store"

/** Returns the bucket; the keys of a site start with `<site id>/`. */
export const mediaStore = (env: Bindings): ObjectStore => new ObjectStore(binding(env, "MEDIA"))
