// Sample gallery of a new site.
import { inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import type { NewSite } from "../definition"
import { galleries } from "./tables"

/** Builds an empty sample gallery. The storefront shows generated art until it has pictures. */
export const sampleGalleries = ({ id, name, now }: NewSite): Write[] => [
  inSite(id)
    .insert(galleries)
    .values({
      slug: "first-impressions",
      name: "First impressions",
      description: `A look around ${name}.`,
      image: null,
      status: "published",
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing(),
]
