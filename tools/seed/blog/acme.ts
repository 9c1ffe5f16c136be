// Acme Ceramics: a pottery that writes about clay.
import type { DemoSite } from "./site.ts"

export const acme: DemoSite = {
  site: "acme",
  author: { email: "clay@acme.example", name: "Clay Hartwell" },
  categories: [
    { slug: "workshop", name: "From the workshop", description: "How things are made here." },
    { slug: "glazes", name: "Glazes", parent: "workshop", description: "Ash, iron, copper and luck." },
    { slug: "at-the-table", name: "At the table", description: "Living with pottery." },
  ],
  tags: [
    { slug: "stoneware", name: "Stoneware" },
    { slug: "porcelain", name: "Porcelain" },
    { slug: "celadon", name: "Celadon" },
    { slug: "care", name: "Care" },
  ],
  posts: [
    {
      slug: "forty-hours-in-the-kiln",
      name: "Forty hours in the kiln",
      description: "A firing from the first match to the last warm bowl.",
      categories: ["workshop"],
      tags: ["stoneware"],
      featured: true,
      daysAgo: 3,
      content: `<p>We light it on a Thursday evening, when the street is quiet. For the first eight hours the flame is no larger than a
hand, because there is still water in the clay, and water in a hurry breaks pots.</p>
<p>By Friday noon the chamber glows the colour of a plum, then of an orange, then of nothing that fruit has. At 1 280 degrees
the small pyramids of clay behind the spyhole bow one after the other, like guests. That is the sign.</p>
<p>Then comes the hard part: not opening the door. Thirty hours of cooling, while everybody finds a reason to walk past. On
Sunday we take out the first bowl with bare hands, still warm, and listen. Glaze that is happy pings for an hour.</p>`,
    },
    {
      slug: "the-long-way-to-blue",
      name: "The long way to blue",
      description: "Celadon is one percent of iron and ninety-nine percent of waiting.",
      categories: ["glazes", "workshop"],
      tags: ["celadon", "porcelain"],
      featured: true,
      daysAgo: 16,
      content: `<p>There is no blue in a celadon. There is wood ash, feldspar, and about as much iron as in a rusty nail. The blue happens
in the fire, when the flame is starved of air and takes the oxygen out of the glaze instead.</p>
<p>Too much air and it turns olive. Too little and it goes grey. For two years our notebook said <em>almost</em>. The line after
the last <em>almost</em> reads: <em>close the damper a finger's width more, and leave it alone.</em></p>`,
    },
    {
      slug: "can-it-go-into-the-dishwasher",
      name: "Can it go into the dishwasher?",
      description: "Yes, mostly. What stoneware likes and what it resents.",
      categories: ["at-the-table"],
      tags: ["care", "stoneware"],
      daysAgo: 28,
      content: `<p>Everything we make for the table has been through a fire twelve hundred degrees hotter than your dishwasher. Heat is
not the problem; company is. Plates that knock against each other chip, so give them room.</p>
<ul>
<li><strong>Microwave:</strong> yes, except for pieces with a gold rim.</li>
<li><strong>Oven:</strong> yes, if it goes in cold and warms up with the oven.</li>
<li><strong>Freezer to hob:</strong> no. Nothing made of clay survives that, and it is loud.</li>
<li><strong>Grey marks from cutlery:</strong> metal, not scratches. A little bicarbonate of soda takes them off.</li>
</ul>`,
    },
    {
      slug: "seconds",
      name: "In praise of seconds",
      description: "Why the wobbly ones are the first to sell.",
      categories: ["at-the-table", "workshop"],
      tags: ["stoneware"],
      daysAgo: 47,
      content: `<p>One bowl in nine comes out wrong. A drip where the glaze was generous, a rim that leans as if listening. We used to
smash them, as one is taught. Then a customer asked for <em>the one that looks like it has somewhere to be</em>.</p>
<p>Now they have a shelf of their own. They hold soup exactly as well as the others, they cost a third less, and on the first
Saturday of the month there is a queue.</p>`,
    },
  ],
  pages: [
    {
      slug: "about",
      name: "The pottery",
      description: "Three wheels, two kilns, one cat.",
      content: `<p>Acme Ceramics is a workshop in an old print shop by the canal. We throw, glaze and fire everything we sell, in batches
small enough to remember. The clay comes from a pit forty kilometres away; the cat came by herself.</p>`,
    },
    {
      slug: "shipping",
      name: "Shipping and breakage",
      description: "If it breaks on the way, we send another.",
      content: `<p>Parcels leave on Tuesdays and Fridays, wrapped in paper and sheep's wool. If something arrives in pieces, send us a
photograph within two weeks: we replace it without asking for the shards.</p>`,
    },
  ],
}
