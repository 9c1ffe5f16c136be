// Galleries: pictures, hung together.
import type { Plugin } from "../plugin"
import { seedGalleries } from "./seed"

export const galleries: Plugin = { slug: "galleries", name: "Galleries", requires: [], seed: seedGalleries }
