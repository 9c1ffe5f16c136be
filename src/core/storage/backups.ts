// Opens the bucket of the stores' backups.
import { binding } from "../../bindings"
import type { Bindings } from "../../env"
import { ObjectStore } from "./object-store"

/** Returns the bucket; the keys of a store's incarnation start with `<stores.seq>/`. */
export const backupStore = (env: Bindings): ObjectStore => new ObjectStore(binding(env, "BACKUPS"))
