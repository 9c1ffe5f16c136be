// Chooses a picture from the media library, which it shows in a dialog.
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
export function choosePicture({ dataset }: HTMLElement): Promise<Picture | null> {
  const dialog = document.createElement("dialog")
  dialog.className = "library"
  dialog.setAttribute("aria-label", dataset.title ?? "")
  const close = document.createElement("button")
  close.type = "button"
  close.dataset.quiet = ""
  close.textContent = dataset.close ?? ""
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
  }
  const load = (url: string) => {
    show(url).catch(() => undefined)
  }

  return new Promise((resolve) => {
    let chosen: Picture | null = null
    close.addEventListener("click", () => dialog.close())
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
        chosen = { url, alt }
        dialog.close()
      } else if (!/\/files\//.test(link.pathname)) load(link.href)
    })
    dialog.showModal()
    load(dataset.library ?? "")
  })
}

/** `data-picker` has the field of one picture, or of one per line, and a button. */
export function startPicker(root: HTMLElement): void {
  const field = root.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea")
  const button = root.querySelector("button")
  if (!field || !button) return
  button.hidden = false
  button.addEventListener("click", async () => {
    const picture = await choosePicture(root)
    if (!picture) return
    const { url, alt } = picture
    if (field instanceof HTMLInputElement) field.value = url
    else
      field.value = [field.value.trim(), field.name === "pictures" ? `${url} ${alt}`.trim() : url]
        .filter(Boolean)
        .join("\n")
    field.dispatchEvent(new Event("input", { bubbles: true }))
  })
}
