// Opens the bucket of the license manager's update files.
import { binding } from "../../bindings"
import type { Bindings } from "../../env"
import { ObjectStore } from "./object-store"

/** Returns the bucket. */
export const updateStore = (env: Bindings): ObjectStore => new ObjectStore(binding(env, "UPDATES"))
