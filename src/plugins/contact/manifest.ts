// Contact: messages from users to a site's staff.
import type { Plugin } from "../plugin"

export const contact: Plugin = { slug: "contact", name: "Contact", requires: [] }
