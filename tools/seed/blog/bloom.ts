// Bloom & Stem: a florist that writes about flowers.
import type { DemoSite } from "./site.ts"

export const bloom: DemoSite = {
  site: "bloom",
  author: { email: "flora@bloom.example", name: "Bloom & Stem" },
  categories: [
    { slug: "in-season", name: "In season", description: "What is good right now." },
    { slug: "keeping-flowers", name: "Keeping flowers", description: "How to make a bouquet last." },
    { slug: "growers", name: "Growers", parent: "in-season", description: "The people behind the buckets." },
  ],
  tags: [
    { slug: "tulips", name: "Tulips" },
    { slug: "dahlias", name: "Dahlias" },
    { slug: "dried", name: "Dried flowers" },
    { slug: "bouquets", name: "Bouquets" },
  ],
  posts: [
    {
      slug: "make-it-last-a-week-longer",
      name: "Make it last a week longer",
      description: "Clean water, a slanted cut, and nothing with fruit in it.",
      categories: ["keeping-flowers"],
      tags: ["bouquets"],
      featured: true,
      daysAgo: 2,
      content: `<p>A cut flower dies of thirst, not of age. Bacteria close the stem like a cork, and from then on the water in the vase
might as well be in the tap.</p>
<ol>
<li>Wash the vase with soap. Rinsing does not count.</li>
<li>Take off every leaf that would stand under water.</li>
<li>Cut two centimetres off, slanted, with a knife rather than with scissors.</li>
<li>New water every second day, and a new cut with it.</li>
<li>Keep it away from the fruit bowl. Ripening apples give off a gas that tells flowers to wilt.</li>
</ol>
<p>The copper coin, the aspirin and the lemonade are folklore. The sachet that comes with the bouquet is not: half sugar, half
something that bacteria dislike.</p>`,
    },
    {
      slug: "the-last-of-the-dahlias",
      name: "The last of the dahlias",
      description: "One cold night and they are gone. Until then, take all you can carry.",
      categories: ["in-season", "growers"],
      tags: ["dahlias", "bouquets"],
      featured: true,
      daysAgo: 14,
      content: `<p>Marit grows forty kinds on a field behind the railway, and from August on she drives in before it is light. By November
each delivery may be the last: dahlias are nine tenths water, and the first real frost turns them black between midnight and
breakfast.</p>
<p>She does not mind. The tubers sleep in the cellar in boxes of sand, each with a name on a strip of birch bark, and she has
already drawn the plan for next year on the back of our invoice.</p>`,
    },
    {
      slug: "drying-hydrangeas",
      name: "Drying hydrangeas without tears",
      description: "Pick them late, hang them in the dark, forget about them.",
      categories: ["keeping-flowers"],
      tags: ["dried"],
      daysAgo: 30,
      content: `<p>Everyone picks them too early. In July a hydrangea is full of water and shrivels; in October the petals feel like
paper while they are still on the bush, and half of the work is done.</p>
<p>Tie them in threes, heads down, somewhere dark and airy. Light takes the colour, damp takes everything else. After two weeks
they rustle, and then they stay as they are until you tire of them.</p>`,
    },
    {
      slug: "why-tulips-keep-growing",
      name: "Why tulips keep growing in the vase",
      description: "They are not restless. They are reaching.",
      categories: ["keeping-flowers", "in-season"],
      tags: ["tulips"],
      daysAgo: 64,
      content: `<p>Leave tulips on the table in the evening and in the morning they stand two centimetres taller, all leaning the same
way. Their cells go on stretching after the cut, on the side that is away from the light.</p>
<p>You can turn the vase each day and keep them upright, or you can let them. We let them. By the fifth day they look like a
drawing of themselves.</p>`,
    },
  ],
  pages: [
    {
      slug: "about",
      name: "About the shop",
      description: "A green door, a cold room, and buckets.",
      content: `<p>Bloom &amp; Stem is the shop with the green door on the corner. We buy from nine growers within an hour's drive, and from
further away only in February, when otherwise there would be nothing but branches.</p>`,
    },
    {
      slug: "delivery",
      name: "Delivery",
      description: "By bicycle, the same day.",
      content: `<p>Ordered before noon, a bouquet is at the door by six, anywhere that a cargo bicycle reaches. We write the card by hand,
so please keep it short.</p>`,
    },
  ],
}
