// The platform's appearance: the same icon and colors on all pages and in mails, and their contrast.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { consoleAssets } from "../../src/console/assets"
import { BRAND_COLORS, BRAND_ICON, BRAND_STYLE } from "../../src/core/html/brand"
import { docsAssets } from "../../src/docs/assets/assets"
import { call, withSettings } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import { makeReadyStore } from "../support/factories"
import { contrast } from "../themes/contrast"

test("text colors reach 4.5:1, and borders of controls 3:1, in light and dark mode", () => {
  const pairs = [
    ...(["ink", "soft", "accent", "error", "success", "warning"] as const).flatMap((color) =>
      (["ground", "card", "faint"] as const).map((on) => [color, on, 4.5] as const),
    ),
    ["soft", "muted", 4.5],
    ["on-accent", "accent", 4.5],
    ["on-error", "error", 4.5],
    ["ink", "tint", 4.5],
    ["soft", "tint", 4.5],
    ["error", "error-tint", 4.5],
    ["success", "success-tint", 4.5],
    ["warning", "warning-tint", 4.5],
    ["control", "ground", 3],
    ["control", "card", 3],
  ] as const
  for (const [color, on, minimum] of pairs) {
    for (const mode of [0, 1] as const) {
      const ratio = contrast(BRAND_COLORS[color][mode], BRAND_COLORS[on][mode])
      expect.soft(ratio, `${color} on ${on}, ${mode ? "dark" : "light"}`).toBeGreaterThanOrEqual(minimum)
    }
  }
})

test("the front page, console, documentation, billing and account pages have the same icon, logo and colors", async () => {
  const host = `${await makeReadyStore()}.localhost`
  const pages = await Promise.all([
    call("GET", "/"),
    call("GET", "/console/login"),
    call("GET", "/docs"),
    call("GET", "/billing", { host }),
    call("GET", "/account/forgot-password", { host }),
  ])
  for (const { text, headers } of pages) {
    expect(text).toContain(`<link rel="icon" href="${BRAND_ICON}"/>`)
    expect(text).toContain('<svg class="logo"')
    expect(headers.get("Content-Security-Policy")).toMatch(/img-src [^;]*data:/)
  }
  const stylesheets = await Promise.all(
    [consoleAssets, docsAssets].map(async ({ paths, respond }) => (await respond(env, paths.css))?.text() ?? ""),
  )
  for (const css of [pages[0].text, pages[3].text, ...stylesheets]) expect(css).toContain(BRAND_STYLE)
})

test("mails have the platform's colors, and its address for answers when one is set", async () => {
  const insertMail = (key: string) =>
    env.DB.prepare(
      `insert into mails (key, kind, recipient, data, due_at, attempts, created_at)
       values (?, 'open_orders', 'a@example.com', '{"count":1,"list":"-"}', 1, 0, 1)`,
    )
      .bind(key)
      .run()
  await insertMail("without")
  const [plain] = await collectSentMails()
  await insertMail("with")
  const [answered] = await collectSentMails({ env: withSettings({ MAIL_REPLY_TO: "support@shops.example" }) })
  expect([plain?.replyTo, answered?.replyTo]).toEqual([undefined, "support@shops.example"])
  expect(plain?.html).toContain(`background:${BRAND_COLORS.ground[0]}`)
  expect(plain?.html).toContain(`color:${BRAND_COLORS.accent[0]}`)
})

test("mails name the reply address where they ask for an answer, and leave the sentence out without one", async () => {
  const insertMails = async (key: string) => {
    for (const kind of ["suspended_by_operator", "support_access"])
      await env.DB.prepare(
        `insert into mails (key, kind, recipient, locale, data, due_at, attempts, created_at)
         values (?, ?, 'a@example.com', 'fr', '{"store":"Acme","root":"acme.example","operator":"Ada","reason":"Spam"}', 1, 0, 1)`,
      )
        .bind(`${kind}-${key}`, kind)
        .run()
  }
  await insertMails("without")
  const plain = await collectSentMails()
  await insertMails("with")
  const answered = await collectSentMails({ env: withSettings({ MAIL_REPLY_TO: "support@shops.example" }) })
  expect(plain.map(({ text }) => /écrivez|répondez|:reply_to/.test(text))).toEqual([false, false])
  expect(answered.map(({ text }) => text.includes("écrivez à support@shops.example."))).toEqual([true, true])
})
