// The documentation's script: search as you type, copy buttons, and the highlighted entry of the side navigation. Every
// page works without it.
const form = document.querySelector("search")
const field = form && form.querySelector("input")
const results = document.getElementById("results")
let latest = 0
const show = async () => {
  const query = field.value.trim()
  const request = ++latest
  if (!query) return results.replaceChildren(), (results.hidden = true)
  const response = await fetch("/docs/search.json?q=" + encodeURIComponent(query))
  const matches = response.ok ? await response.json() : []
  if (request !== latest) return
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
  if (!matches.length) results.textContent = "No results"
  results.hidden = false
}
if (field) {
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
// Samples of several languages become tabs, and the reader's choice applies to all of them. Only one is shown at a time.
const groups = [...document.querySelectorAll(".tabs")]
const choose = (language) => {
  for (const group of groups) {
    const figures = [...group.querySelectorAll("figure.code")]
    const titleOf = (figure) => figure.querySelector("figcaption").textContent
    const chosen = figures.find((figure) => titleOf(figure) === language) || figures[0]
    for (const figure of figures) figure.hidden = figure !== chosen
    for (const button of group.querySelectorAll("[data-language]")) {
      button.setAttribute("aria-pressed", String(button.dataset.language === titleOf(chosen)))
    }
  }
}
for (const group of groups) {
  const bar = document.createElement("div")
  bar.className = "tab-bar"
  for (const caption of group.querySelectorAll("figcaption")) {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = button.dataset.language = caption.textContent
    button.addEventListener("click", () => {
      const top = button.getBoundingClientRect().top
      choose(button.dataset.language)
      scrollBy(0, button.getBoundingClientRect().top - top)
      try {
        localStorage.setItem("language", button.dataset.language)
      } catch {}
    })
    bar.append(button)
  }
  if (bar.children.length > 1) group.prepend(bar)
}
let language = ""
try {
  language = localStorage.getItem("language") || ""
} catch {}
choose(language)
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
