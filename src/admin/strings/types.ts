// The texts of the admin. English is the model; the compiler requires each of them in every language.
import type { EN } from "./en"

export type AdminStrings = typeof EN
