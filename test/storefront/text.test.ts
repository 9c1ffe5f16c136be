// Text helpers of the storefront: prices, locales, rich text, excerpts and image URLs.
import { describe, expect, it } from "vitest"
import { canonicalLocale, decimalAmount, direction, longDate, money, withColon } from "../../src/lib/intl"
import { excerpt, richText } from "../../src/storefront/text/rich-text"
import { safeImage } from "../../src/storefront/text/safe-url"
import { strings, toSupportedLocale } from "../../src/storefront/text/strings"

describe("money", () => {
  it("formats amounts for the currency and the locale", () => {
    const table = [
      [123456, "EUR", "en", "€1,234.56"],
      [123456, "EUR", "fr", "1\u202f234,56\u00a0€"],
      [123456, "EUR", "de", "1.234,56\u00a0€"],
      [2500, "JPY", "en", "¥2,500"],
      [250000, "VND", "vi", "250.000\u00a0₫"],
      [1500, "KWD", "en", "KWD\u00a01.500"],
      [0, "USD", "en", "$0.00"],
      [990, "", "en", "9.90"],
      [990, "euro", "en", "9.90 euro"],
    ] as const
    for (const [units, currency, locale, text] of table) expect.soft(money(units, currency, locale)).toBe(text)
  })

  it("has a no-break space between a French label and its colon", () => {
    expect(["en", "es", "fr", "fr-CA", "vi"].map((locale) => withColon("Total", locale))).toEqual([
      "Total:",
      "Total:",
      "Total\u00a0:",
      "Total\u00a0:",
      "Total:",
    ])
  })

  it("formats amounts as plain decimals for structured data", () => {
    const table = [
      [1299, "EUR", "12.99"],
      [1299, "JPY", "1299"],
      [1299, "KWD", "1.299"],
      [1299, "nonsense", "12.99"],
    ] as const
    for (const [units, currency, text] of table) expect.soft(decimalAmount(units, currency)).toBe(text)
  })
})

describe("locale", () => {
  it("canonicalises language tags and falls back to English for invalid ones", () => {
    const table = [
      ["en-gb", "en-GB"],
      ["fr_CA", "fr-CA"],
      ["", "en"],
      ["not a locale", "en"],
      ["x".repeat(300), "en"],
    ] as const
    for (const [tag, locale] of table) expect.soft(canonicalLocale(tag)).toBe(locale)
  })

  it("returns the text direction of a language", () => {
    expect(["ar", "he-IL", "fa", "en", "vi"].map(direction)).toEqual(["rtl", "rtl", "rtl", "ltr", "ltr"])
  })

  it("formats dates in UTC", () => {
    expect(longDate(new Date("2026-09-14T23:59:59Z"), "en")).toBe("September 14, 2026")
    expect(longDate(new Date("2026-09-14T00:00:00Z"), "es")).toBe("14 de septiembre de 2026")
  })

  it("the storefront has strings in four languages and uses English for the others", () => {
    expect(["en", "es", "fr", "vi", "de", "constructor"].map((code) => strings[toSupportedLocale(code)].home)).toEqual([
      "Home",
      "Inicio",
      "Accueil",
      "Trang chủ",
      "Home",
      "Home",
    ])
  })
})

describe("richText", () => {
  it("richText turns plain text into paragraphs and sanitises HTML", () => {
    const table = [
      ["one\n\ntwo\nthree", "<p>one</p><p>two<br>three</p>"],
      ["a <b>bold</b> word\r\n\r\n \r\nnext", "<p>a <b>bold</b> word</p><p>next</p>"],
      ["1 < 2 & <script>alert(1)</script>", "<p>1 &lt; 2 &amp; </p>"],
      ["<p>one</p>\n\n<p>two</p>", "<p>one</p>\n\n<p>two</p>"],
      ["<b>never closed\n\nnext", "<p><b>never closed</b></p><p>next</p>"],
      ["  \n\n ", ""],
    ] as const
    for (const [source, html] of table) expect.soft(richText(source).toString()).toBe(html)
  })
})

describe("excerpt", () => {
  it("excerpt cuts between words and appends an ellipsis", () => {
    expect(excerpt("<p>The first shelf came out at six in the morning.</p>", 20)).toBe("The first shelf…")
  })

  it("excerpt returns a short text unchanged and an empty string for null", () => {
    expect(excerpt("Short &amp; sweet", 20)).toBe("Short & sweet")
    expect(excerpt(null, 20)).toBe("")
  })

  it("excerpt does not split surrogate pairs", () => {
    expect(excerpt("🏺".repeat(30), 10)).toBe(`${"🏺".repeat(9)}…`)
  })
})

describe("safeImage", () => {
  it("safeImage accepts only http, https and relative URLs", () => {
    const table = [
      ["/media/a.jpg", "/media/a.jpg"],
      ["https://cdn.example/a b.jpg", "https://cdn.example/a%20b.jpg"],
      ["javascript:alert(1)", null],
      ["data:image/svg+xml,<svg>", null],
      ["   ", null],
      ["", ""],
      [null, null],
    ] as const
    for (const [address, safe] of table) expect.soft(safeImage(address)).toBe(safe)
  })
})
