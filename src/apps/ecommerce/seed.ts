// Sample products of a new shop, so that its theme has content until staff replace them.
import { toSearchText } from "../../content/blog/fields"
import { foldCase } from "../../content/case-folding"
import { inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { slugify } from "../../lib/slug"
import type { NewSite } from "../definition"
import { products } from "./tables"

interface Sample {
  name: string
  description: string
  priceCents: number
}

const SAMPLES: Record<string, readonly Sample[]> = {
  atelier: [
    { name: "Stoneware bowl", description: "Thrown on the wheel and glazed in oat white.", priceCents: 3400 },
    { name: "Linen napkins", description: "Four napkins of washed linen, hemmed by hand.", priceCents: 2800 },
    { name: "Oak serving board", description: "One piece of oak, oiled, with a hole to hang it by.", priceCents: 4600 },
    { name: "Beeswax candles", description: "A pair of dipped candles that burn for nine hours.", priceCents: 1600 },
  ],
  nocturne: [
    { name: "Midnight pressing", description: "Live recordings on heavy black vinyl.", priceCents: 2900 },
    { name: "Velvet slipmat", description: "Soft under the record, quiet in the groove.", priceCents: 1500 },
    { name: "Needle brush", description: "Carbon fibre, for the stylus and what it reads.", priceCents: 1900 },
    { name: "Listening lamp", description: "A small light that turns down to a glow.", priceCents: 7900 },
  ],
  bazaar: [
    { name: "Saffron threads", description: "One gram, picked by hand, for a month of rice.", priceCents: 1200 },
    { name: "Painted tea glasses", description: "Six glasses, no two of them alike.", priceCents: 3600 },
    { name: "Market basket", description: "Woven palm with leather handles.", priceCents: 2400 },
    { name: "Lemon marmalade", description: "Bitter, bright and full of peel.", priceCents: 850 },
  ],
  vitrine: [
    { name: "Exhibition print", description: "Pigment print on cotton paper, numbered.", priceCents: 9500 },
    { name: "Catalogue", description: "All works of the season, on 120 pages.", priceCents: 3200 },
    { name: "Postcard set", description: "Twelve cards from the collection.", priceCents: 1400 },
    { name: "Canvas tote", description: "Heavy canvas, printed in one colour.", priceCents: 2200 },
  ],
}

/** Builds the sample products of the site's theme, limited to the number of products that its plan allows. */
export function sampleProducts({ id, theme, terms, now }: NewSite): Write[] {
  const samples = SAMPLES[theme] ?? SAMPLES.atelier ?? []
  const allowed = terms?.limits.products || samples.length
  return samples.slice(0, allowed).map((sample) =>
    inSite(id)
      .insert(products)
      .values({
        ...sample,
        slug: slugify(sample.name),
        nameKey: foldCase(sample.name),
        searchText: [sample.name, sample.description].map(toSearchText).join("\n"),
        image: null,
        currency: terms?.currency ?? "USD",
        stock: null,
        status: "published",
        isSample: true,
        createdAt: now,
        updatedAt: now,
      })
      .onConflictDoNothing(),
  )
}
