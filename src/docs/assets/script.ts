// The documentation's script: search as you type, copy buttons, and the highlighted entry of the side navigation. Every
// page works without it.

export const script = `
const form = document.querySelector("search")
const field = form && form.querySelector("input")
const results = document.getElementById("results")
let index
const load = () => index || (index = fetch("/docs/index.json").then((response) => response.json()))
const show = async () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
  if (!words.length) return results.replaceChildren(), (results.hidden = true)
  const matches = (await load()).filter((entry) => words.every((word) => entry.words.includes(word))).slice(0, 12)
  results.replaceChildren(
    ...matches.map((entry) => {
      const link = document.createElement("a")
      link.href = entry.href
      const name = document.createElement("code")
      name.textContent = entry.name
      link.append(name, entry.summary)
      return link
    }),
  )
  results.hidden = !matches.length
}
if (field) {
  field.addEventListener("focus", load)
  field.addEventListener("input", show)
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)
    if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.metaKey || event.ctrlKey))) {
      event.preventDefault()
      field.focus()
    }
    if (event.key === "Escape") results.hidden = true
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !results.hidden) {
      const links = [...results.querySelectorAll("a")]
      const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)
      event.preventDefault()
      ;(links[next] || field).focus()
    }
  })
}
for (const figure of document.querySelectorAll("figure.code")) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = "Copy"
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("pre").textContent)
    button.textContent = "Copied"
    setTimeout(() => (button.textContent = "Copy"), 1500)
  })
  figure.append(button)
}
const links = new Map([...document.querySelectorAll("nav.side a[href^='#']")].map((link) => [link.hash.slice(1), link]))
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue
      for (const link of links.values()) link.removeAttribute("aria-current")
      const link = links.get(entry.target.id)
      if (link) link.setAttribute("aria-current", "true"), link.scrollIntoView({ block: "nearest" })
    }
  },
  { rootMargin: "0px 0px -75% 0px" },
)
for (const id of links.keys()) {
  const section = document.getElementById(id)
  if (section) observer.observe(section)
}
`
