import { describe, expect, it } from "vitest"
import type { Closed } from "../../src/storefront/data"
import { renderClosed } from "../../src/storefront/render"
import { elementsOf } from "./fixtures"

const store = { name: "Marlow & Pine", theme: "nocturne", preset: "ember", locale: "en" }

describe("where there is no shop to enter", () => {
  it.each<[Closed, number, string]>([
    [{ kind: "preparing", ...store }, 503, "We are setting up."],
    [{ kind: "suspended", ...store }, 402, "This shop is closed for now."],
    [{ kind: "unavailable", ...store }, 503, "This shop cannot be shown right now."],
    [{ kind: "unknown_host", host: "nobody.example", locale: "en" }, 404, "There is no shop here."],
  ])("%o answers %d", async (closed, status, title) => {
    const rendered = renderClosed(closed)
    expect(rendered.status).toBe(status)
    expect(rendered.headers["Cache-Control"]).toBe("no-store")
    expect(rendered.headers["Content-Security-Policy"]).toContain("default-src 'none'")
    const elements = await elementsOf(rendered.html)
    for (const tag of ["header", "main", "h1", "title", "style"]) {
      expect(elements.filter((element) => element.tag === tag)).toHaveLength(1)
    }
    expect(elements.find((element) => element.tag === "h1")?.text).toBe(title)
    // A closed shop leads its owner to where it is paid for; nothing else leads anywhere.
    const links = elements.filter(({ tag }) => tag === "a" || tag === "script")
    expect(links.map(({ attributes }) => attributes.href)).toEqual(closed.kind === "suspended" ? ["/billing"] : [])
    expect(elements.some(({ attributes }) => attributes.name === "robots" && attributes.content === "noindex")).toBe(
      true,
    )
  })

  it("looks again by itself while the shop is being set up, and only then", () => {
    const preparing = renderClosed({ kind: "preparing", ...store })
    expect(preparing.html).toContain('<meta http-equiv="refresh" content="5"/>')
    expect(preparing.headers["Retry-After"]).toBe("5")
    const suspended = renderClosed({ kind: "suspended", ...store })
    expect(suspended.html).not.toContain("http-equiv")
    expect(suspended.headers).not.toHaveProperty("Retry-After")
  })

  it("wears the store's theme, and the default one for a host of nobody", () => {
    expect(renderClosed({ kind: "suspended", ...store }).html).toContain("--ground:#100e0c")
    expect(renderClosed({ kind: "unknown_host", host: "nobody.example", locale: "en" }).html).toContain(
      "--ground:#faf7f2",
    )
  })

  it("names the host as text", async () => {
    const { html } = renderClosed({ kind: "unknown_host", host: "<script>alert(1)</script>", locale: "fr" })
    expect(html).toContain("Rien n’est servi à &lt;script&gt;")
    expect((await elementsOf(html)).filter(({ tag }) => tag === "script")).toEqual([])
  })
})
