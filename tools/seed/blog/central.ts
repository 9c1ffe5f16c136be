// The platform's own blog.
import type { DemoSite } from "./site.ts"

export const central: DemoSite = {
  site: "central",
  author: { email: "editor@example.com", name: "Nora Lindqvist" },
  categories: [
    { slug: "running-a-store", name: "Running a store", description: "What shopkeepers ask us most." },
    { slug: "domains", name: "Domains", parent: "running-a-store", description: "Names, records and certificates." },
    { slug: "product-news", name: "Product news", description: "What is new on the platform." },
  ],
  tags: [
    { slug: "dns", name: "DNS" },
    { slug: "webhooks", name: "Webhooks" },
    { slug: "billing", name: "Billing" },
    { slug: "photography", name: "Photography" },
  ],
  posts: [
    {
      slug: "your-own-domain-in-ten-minutes",
      name: "Your own domain in ten minutes",
      description: "Two records, one click, and the old address keeps working. What each step is for.",
      categories: ["domains", "running-a-store"],
      tags: ["dns"],
      featured: true,
      daysAgo: 4,
      content: `<p>A store starts life under our name. Moving it under yours takes two DNS records, and neither of them can break
what already works: the address you began with stays for as long as the store does.</p>
<h2>The record that proves</h2>
<p>First we ask for a <code>TXT</code> record with a short token. Only a person who controls the domain can publish it, so it
is what keeps a stranger from attaching your domain to their store. Publish it, wait a minute or two, press <em>Verify</em>.</p>
<h2>The record that leads</h2>
<p>Then point a <code>CNAME</code> at the name that your console shows. Visitors follow it from that moment on.</p>
<h2>If it does not verify</h2>
<ul>
<li>Many DNS panels add the domain by themselves: enter <code>_verify</code>, not <code>_verify.shop.example</code>.</li>
<li>An old answer may be remembered for as long as its TTL says. Lower the TTL a day before you move.</li>
<li>Quotation marks around the token are fine; a space at its end is not.</li>
</ul>`,
    },
    {
      slug: "what-happens-when-a-payment-fails",
      name: "What happens when a payment fails",
      description: "Nothing, at first. The seven days of grace, hour by hour.",
      categories: ["running-a-store"],
      tags: ["billing"],
      daysAgo: 19,
      content: `<p>Cards expire, banks hesitate, limits are reached on the last day of the month. None of that is a reason to close a
shop, so a failed payment changes nothing that your customers could see.</p>
<p>The subscription is marked <strong>past due</strong> and we write to the owner. For seven days the store sells as before,
while the payment is tried again. Most are settled by the second attempt.</p>
<p>Only when the week is over is the store suspended: visitors read that it is closed for the moment, orders stop, and every
product, picture and customer stays where it is. Pay the invoice and the doors open within a minute.</p>
<blockquote>Nothing is deleted for thirty days after a cancellation. If you change your mind, write to us.</blockquote>`,
    },
    {
      slug: "listening-instead-of-asking",
      name: "Listening instead of asking",
      description: "Webhooks say what happened the moment it does. How to receive them without losing one.",
      categories: ["product-news"],
      tags: ["webhooks"],
      featured: true,
      daysAgo: 33,
      content: `<p>Asking an API every minute whether anything is new is like opening the door to see whether the bell rang. Endpoints
can now subscribe to what they care about, and we do the ringing.</p>
<h2>Three habits of a good receiver</h2>
<ol>
<li><strong>Check the signature</strong> before you read anything else. It covers the bytes exactly as they were sent.</li>
<li><strong>Answer first, work later.</strong> Put the event on a queue of your own and say 204. We wait ten seconds.</li>
<li><strong>Expect it twice.</strong> A delivery may be repeated when your answer got lost. Events have ids; remember them.</li>
</ol>
<p>If your side is down for a night, deliveries wait and are tried again, each time a little later. And if it is down for good,
the endpoint is switched off after twenty-five failures in a row, and you can read every one of them in the log.</p>`,
    },
    {
      slug: "pictures-that-sell",
      name: "Pictures that sell",
      description: "A window, a sheet of paper and a phone: product photographs that need no studio.",
      categories: ["running-a-store"],
      tags: ["photography"],
      daysAgo: 52,
      content: `<p>The best light in the house costs nothing. It comes through the largest window, from the side, on a day with thin
clouds. Everything else is patience.</p>
<p>Tape a sheet of white paper to the wall and let it curve onto the table, so that there is no edge behind the thing you sell.
Put a second sheet opposite the window: it fills the shadows. Stand back two steps and zoom in, because a lens close by makes
round things look swollen.</p>
<p>Take three: the whole thing, the detail that a hand would reach for, and one with something of known size beside it. People
return what is smaller than they thought.</p>`,
    },
    {
      slug: "an-api-for-every-store",
      name: "An API for every store",
      description: "Posts, media, users and notifications, on the store's own host.",
      categories: ["product-news"],
      tags: ["webhooks", "dns"],
      daysAgo: 71,
      content: `<p>Every store on a plan with API access now answers under <code>/api/v1</code> on its own domain. Mobile apps read posts
and pages from it, sign customers in, and register for notifications; servers upload pictures to the media library.</p>
<p>Lists come in pages with totals and links, single things by id or by slug, and related things when you ask:
<code>/posts?include=categories,tags,author</code> is one request where it used to be thirty.</p>
<p>Reads carry an entity tag. Send it back, and when nothing has changed the answer is three digits long: 304.</p>`,
    },
  ],
  pages: [
    {
      slug: "about",
      name: "About us",
      description: "Who keeps the shops open.",
      content: `<p>We run the back office for several hundred independent shops: the servers, the invoices, the certificates, the
three-in-the-morning part. What is sold, and how it looks, is up to the people who make it.</p>
<p>We are eleven people in four time zones, and every one of us answers support for a week each quarter.</p>`,
    },
    {
      slug: "terms",
      name: "Terms of service",
      description: "The agreement, in plain words.",
      content: `<h2>What you get</h2><p>A store that is reachable, backed up and yours to take along: all data can be exported at any
time.</p><h2>What you pay</h2><p>The price of your plan, at the start of each period. Prices of a running subscription do not
change.</p><h2>What is not allowed</h2><p>Selling what is illegal where you or your customers live.</p>`,
    },
    {
      slug: "privacy",
      name: "Privacy",
      description: "What we know of you, and for how long.",
      content: `<p>We keep what a store needs to run and nothing to sell. Customers belong to the store they signed up with; two stores
never see each other's. Thirty days after a store is gone, so is everything in it.</p>`,
    },
  ],
}
