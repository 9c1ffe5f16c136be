// Chooses pictures from the media library, which it shows in a dialog.
import { startUpload } from "./upload"

interface Picture {
  url: string
  alt: string
}

/**
 * Asks for a picture.
 * @param owner has the address of the library and the texts of the dialog as attributes
 * @returns null when the dialog was closed
 */
export async function choosePicture(owner: HTMLElement): Promise<Picture | null> {
  const [picture] = await choosePictures(owner, 1)
  return picture ?? null
}

/**
 * Asks for pictures. With a limit of 1, the dialog closes after the choice; otherwise each picture is a toggle.
 * @returns the pictures in the order in which they were chosen
 */
function choosePictures({ dataset }: HTMLElement, limit: number): Promise<Picture[]> {
  const isMultiple = limit > 1
  const chosen: Picture[] = []
  const dialog = document.createElement("dialog")
  dialog.className = "library"
  dialog.setAttribute("aria-label", dataset.title ?? "")
  const close = document.createElement("button")
  close.type = "button"
  close.dataset.quiet = ""
  close.textContent = (isMultiple ? dataset.done : dataset.close) ?? ""
  const region = document.createElement("div")
  dialog.append(close, region)
  document.body.append(dialog)

  const show = async (url: string) => {
    const response = await fetch(url).catch(() => null)
    const page = new DOMParser().parseFromString((await response?.text()) ?? "", "text/html")
    const library = page.getElementById("library")
    // The page around the dialog may have the same ids.
    library?.removeAttribute("id")
    region.replaceChildren(...(library ? [document.importNode(library, true)] : []))
    for (const root of region.querySelectorAll<HTMLElement>("[data-drop]")) startUpload(root, load)
    if (isMultiple) for (const link of region.querySelectorAll<HTMLElement>("[data-url]")) showAsToggle(link)
    const upload = region.querySelector("#upload")?.closest("details")
    if (upload && !region.querySelector("[data-url]")) upload.open = true
  }
  const isChosen = ({ dataset: { url } }: HTMLElement) => chosen.some((picture) => picture.url === url)
  const showAsToggle = (link: HTMLElement) => {
    link.setAttribute("role", "button")
    link.setAttribute("aria-pressed", String(isChosen(link)))
  }
  const toggle = (link: HTMLElement, picture: Picture) => {
    const index = chosen.findIndex(({ url }) => url === picture.url)
    if (index !== -1) chosen.splice(index, 1)
    else if (chosen.length < limit) chosen.push(picture)
    showAsToggle(link)
  }
  const load = (url: string) => {
    show(url).catch(() => undefined)
  }

  return new Promise((resolve) => {
    close.addEventListener("click", () => dialog.close())
    // Escape discards the choice.
    dialog.addEventListener("cancel", () => chosen.splice(0))
    dialog.addEventListener("close", () => {
      dialog.remove()
      resolve(chosen)
    })
    region.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null
      if (!link) return
      event.preventDefault()
      const { url, alt = "" } = link.dataset
      if (url) {
        toggle(link, { url, alt })
        if (!isMultiple) dialog.close()
      } else if (!/\/files\//.test(link.pathname)) load(link.href)
    })
    // A link with the role of a button also reacts to the space bar.
    region.addEventListener("keydown", (event) => {
      const link = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("a[aria-pressed]") : null
      if (!link || event.key !== " ") return
      event.preventDefault()
      link.click()
    })
    dialog.showModal()
    load(dataset.library ?? "")
  })
}

type TextField = HTMLInputElement | HTMLTextAreaElement

const readLines = ({ value }: TextField): string[] =>
  value
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)

/**
 * Shows the pictures of a field above it, each with buttons that remove it and move it to the front.
 * @param root has the texts of the buttons as attributes
 */
function showPictures({ dataset }: HTMLElement, field: TextField): HTMLUListElement {
  const list = document.createElement("ul")
  list.className = "chosen"
  const change = (lines: string[]) => {
    field.value = lines.join("\n")
    field.dispatchEvent(new Event("input", { bubbles: true }))
  }
  const createButton = (text: string | undefined, index: number, run: () => void) => {
    const button = document.createElement("button")
    button.type = "button"
    button.dataset.quiet = ""
    button.textContent = text ?? ""
    button.setAttribute("aria-label", `${text} (${index + 1})`)
    button.addEventListener("click", run)
    return button
  }
  const render = () => {
    const lines = readLines(field)
    list.hidden = lines.length === 0
    list.replaceChildren(
      ...lines.map((line, index) => {
        const item = document.createElement("li")
        const picture = document.createElement("img")
        picture.src = line.split(" ", 1)[0] ?? ""
        picture.alt = ""
        const others = lines.filter((_, other) => other !== index)
        item.append(picture)
        if (index > 0) item.append(createButton(dataset.first, index, () => change([line, ...others])))
        item.append(createButton(dataset.remove, index, () => change(others)))
        return item
      }),
    )
  }
  field.addEventListener("input", render)
  render()
  return list
}

/** Folds a field that the reader rarely types in, with its hint; it is open when its value was refused. */
function fold(field: TextField, title: string | undefined): void {
  const details = document.createElement("details")
  const summary = document.createElement("summary")
  summary.textContent = title ?? ""
  details.open = field.ariaInvalid === "true"
  const hint = field.parentElement?.querySelector(".hint")
  field.before(details)
  details.append(summary, field, ...(hint ? [hint] : []))
}

/** `data-picker` has the field of one picture, or of one per line, and a button. */
export function startPicker(root: HTMLElement): void {
  const field = root.querySelector<TextField>("input, textarea")
  const button = root.querySelector("button")
  if (!field || !button) return
  button.hidden = false
  field.before(showPictures(root, field), button)
  // The lines of a gallery have captions too, which are typed.
  if (field.name !== "pictures") fold(field, root.dataset.text)
  button.addEventListener("click", async () => {
    const isMultiple = field instanceof HTMLTextAreaElement
    const limit = isMultiple ? Math.max(1, Number(root.dataset.max) - readLines(field).length) : 1
    const pictures = await choosePictures(root, limit)
    button.focus()
    const [first] = pictures
    if (!first) return
    if (isMultiple) {
      const lines = pictures.map(({ url, alt }) => (field.name === "pictures" ? `${url} ${alt}`.trim() : url))
      field.value = [field.value.trim(), ...lines].filter(Boolean).join("\n")
    } else field.value = first.url
    field.dispatchEvent(new Event("input", { bubbles: true }))
  })
}
