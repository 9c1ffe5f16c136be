// Pages of closed shops.
import { describe, expect, it } from "vitest"
import type { ClosedShop } from "../../src/storefront/data"
import { renderClosed } from "../../src/storefront/render"
import { parseElements } from "./fixtures"

const store = { name: "Marlow & Pine", theme: "nocturne", preset: "ember", locale: "en" }

describe("closed shops", () => {
  it.each<[ClosedShop, number, string]>([
    [{ kind: "preparing", ...store }, 503, "We’re setting up this shop"],
    [{ kind: "suspended", ...store }, 402, "This shop is temporarily closed"],
    [{ kind: "unavailable", ...store }, 503, "This shop is temporarily unavailable"],
    [{ kind: "unknown_host", host: "nobody.example", locale: "en" }, 404, "There’s no shop at this address"],
  ])("renders an uncacheable page for %o with status %d", async (closed, status, title) => {
    const rendered = renderClosed(closed)
    expect(rendered.status).toBe(status)
    expect(rendered.headers["Cache-Control"]).toBe("no-store")
    expect(rendered.headers["Content-Security-Policy"]).toContain("default-src 'none'")
    const elements = await parseElements(rendered.body)
    for (const tag of ["header", "main", "h1", "title", "style"]) {
      expect(elements.filter((element) => element.tag === tag)).toHaveLength(1)
    }
    expect(elements.find((element) => element.tag === "h1")?.text).toBe(title)
    // Only the page of a suspended shop has a link, which leads its owner to billing.
    const links = elements.filter(({ tag }) => tag === "a" || tag === "script")
    expect(links.map(({ attributes }) => attributes.href)).toEqual(closed.kind === "suspended" ? ["/billing"] : [])
    expect(elements.some(({ attributes }) => attributes.name === "robots" && attributes.content === "noindex")).toBe(
      true,
    )
  })

  it("reloads the page while the shop is being set up, and only then", () => {
    const preparing = renderClosed({ kind: "preparing", ...store })
    expect(preparing.body).toContain('<meta http-equiv="refresh" content="5"/>')
    expect(preparing.headers["Retry-After"]).toBe("5")
    const suspended = renderClosed({ kind: "suspended", ...store })
    expect(suspended.body).not.toContain("http-equiv")
    expect(suspended.headers).not.toHaveProperty("Retry-After")
  })

  it("uses the store's theme, and the default theme for an unknown host", () => {
    expect(renderClosed({ kind: "suspended", ...store }).body).toContain("--ground:#100e0c")
    expect(renderClosed({ kind: "unknown_host", host: "nobody.example", locale: "en" }).body).toContain(
      "--ground:#faf7f2",
    )
  })

  it("shows the logo, the favicon and the accent color of a shop that has them, beside its name", async () => {
    const shopAppearance = { logo: "/media/logo.svg", favicon: "/media/icon.svg", accent: "#7a1f3d" }
    const { body, headers } = renderClosed({ kind: "suspended", ...store, shopAppearance })
    expect(body).toContain('<img src="/media/logo.svg" alt=""/>Marlow &amp; Pine')
    expect(body).toContain('href="/media/icon.svg"')
    expect(headers["Content-Security-Policy"]?.match(/'sha256-/g)).toHaveLength(2)
    const unsafe = renderClosed({
      kind: "closed",
      ...store,
      shopAppearance: { ...shopAppearance, logo: "javascript:alert(1)" },
    })
    expect(unsafe.body).not.toContain("<img")
  })

  it("escapes the host name", async () => {
    const { body: html } = renderClosed({ kind: "unknown_host", host: "<script>alert(1)</script>", locale: "fr" })
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; n’est associé à aucune boutique")
    expect((await parseElements(html)).filter(({ tag }) => tag === "script")).toEqual([])
  })
})
