// Sample gallery of a new site.

import { insert, type Write } from "../../db/write"
import type { NewSite } from "../definition"
import { galleries } from "./tables"

/** Builds an empty sample gallery. The storefront shows generated art until it has pictures. */
export const sampleGalleries = ({ id, name, now }: NewSite): Write[] => [
  insert(galleries)
    .values({
      siteId: id,
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
