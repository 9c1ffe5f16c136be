// The editor of rich text: a toolbar over an editable element, next to the textarea that is submitted. Without it, the
// textarea takes HTML. What it writes is sanitised by the rules of the storefront.
import { toMarkup } from "../../storefront/text/markup"
import { plainText, sanitise } from "../../storefront/text/sanitise"
import { choosePicture } from "./picker"

/** The attributes that rendering adds are not stored. */
const ADDED_ATTRIBUTES = / loading="lazy" decoding="async"| rel="noopener"/g
const BLOCK_END = /(<\/(?:p|h[2-6]|li|ul|ol|blockquote|pre|figure|table|tr)>|<hr>)\s*(?=<)/g

/** The text to submit: one block per line. */
function toSource(html: string): string {
  const clean = sanitise(html)
  if (!plainText(clean) && !/<(img|hr)/.test(clean)) return ""
  return clean.replace(ADDED_ATTRIBUTES, "").replaceAll("<p></p>", "").replace(BLOCK_END, "$1\n")
}

const run = (command: string, value?: string) => document.execCommand(command, false, value)

/** The blocks that a second press of their button turns back into paragraphs. */
const BLOCKS = new Set(["h2", "h3", "blockquote"])

/** Shows the editor over a textarea. */
export function startEditor(root: HTMLElement): void {
  const source = root.querySelector("textarea")
  const toolbar = root.querySelector<HTMLElement>("[data-toolbar]")
  const surface = root.querySelector<HTMLElement>("[data-surface]")
  if (!source || !toolbar || !surface) return
  const label = document.querySelector<HTMLElement>(`label[for="${source.id}"]`)

  const show = (asHtml: boolean) => {
    if (!asHtml) surface.innerHTML = toMarkup(source.value)
    source.hidden = !asHtml
    surface.hidden = asHtml
    for (const button of toolbar.querySelectorAll<HTMLButtonElement>("button")) {
      const isToggle = button.dataset.command === "html"
      button.disabled = asHtml && !isToggle
      if (isToggle) button.setAttribute("aria-pressed", String(asHtml))
    }
  }
  const changed = () => {
    source.value = toSource(surface.innerHTML)
  }
  const insert = (html: string) => {
    surface.focus()
    run("insertHTML", html)
    changed()
  }

  /** The dialog takes the focus, and with it the selection. */
  const insertPicture = async () => {
    const selection = document.getSelection()
    const range = selection?.rangeCount ? selection.getRangeAt(0) : null
    const picture = await choosePicture(root)
    if (!picture) return
    surface.focus()
    if (range) selection?.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset)
    const image = document.createElement("img")
    image.src = picture.url
    image.alt = picture.alt
    insert(image.outerHTML)
  }

  run("defaultParagraphSeparator", "p")
  source.before(toolbar, surface)
  surface.contentEditable = "true"
  surface.setAttribute("role", "textbox")
  surface.setAttribute("aria-multiline", "true")
  surface.setAttribute("aria-label", label?.textContent?.trim() ?? "")
  for (const name of ["aria-invalid", "aria-describedby"]) {
    const value = source.getAttribute(name)
    if (value) surface.setAttribute(name, value)
  }
  label?.addEventListener("click", () => surface.focus())
  toolbar.hidden = false
  show(false)

  surface.addEventListener("input", changed)
  surface.addEventListener("paste", (event) => {
    const html = event.clipboardData?.getData("text/html")
    if (!html) return
    event.preventDefault()
    insert(sanitise(html))
  })
  // A pressed button must not take the focus, or the selection is lost.
  toolbar.addEventListener("mousedown", (event) => event.preventDefault())
  toolbar.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null
    const command = button?.dataset.command
    if (!button || !command) return
    if (command === "html") return show(Boolean(source.hidden))
    surface.focus()
    if (command === "insertImage") return insertPicture()
    if (command === "createLink") {
      const url = window.prompt(button.dataset.question, "https://")
      if (!url) return
      run(command, url)
    } else if (BLOCKS.has(command)) {
      run("formatBlock", document.queryCommandValue("formatBlock") === command ? "p" : command)
    } else run(command)
    changed()
  })
  document.addEventListener("selectionchange", () => {
    if (document.activeElement !== surface) return
    for (const button of toolbar.querySelectorAll<HTMLElement>("[data-command]")) {
      const command = button.dataset.command ?? ""
      if (command === "html" || command === "createLink" || command === "insertImage") continue
      const isOn = BLOCKS.has(command)
        ? document.queryCommandValue("formatBlock") === command
        : document.queryCommandState(command)
      button.setAttribute("aria-pressed", String(isOn))
    }
  })
  if (source.getAttribute("aria-invalid")) surface.focus()
}
