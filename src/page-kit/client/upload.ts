// Uploads of several files by drop or choice, each with its progress. Without it, the form uploads one file.

/** Sends a file with the form's other fields; resolves with the address of the next page, or null with a message. */
function send(
  form: HTMLFormElement,
  file: File,
  bar: HTMLProgressElement,
): Promise<{ url?: string; message?: string }> {
  const data = new FormData(form)
  data.set("file", file)
  const request = new XMLHttpRequest()
  request.open("POST", form.action)
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    bar.value = loaded / total
  })
  return new Promise((resolve) => {
    request.addEventListener("error", () => resolve({ message: file.name }))
    request.addEventListener("load", () => {
      if (request.status === 200 && request.responseURL.includes("done=")) return resolve({ url: request.responseURL })
      const page = new DOMParser().parseFromString(request.responseText, "text/html")
      const message = page.querySelector("[role=alert], .field-error")?.textContent ?? request.statusText
      return resolve({ message })
    })
    request.send(data)
  })
}

/**
 * Makes the form of an element upload several files.
 * @param onDone gets the address of the page that lists the files
 */
export function startUpload(root: HTMLElement, onDone: (url: string) => void): void {
  const form = root.querySelector("form")
  const input = form?.querySelector<HTMLInputElement>("input[type=file]")
  if (!form || !input) return
  input.multiple = true

  const sendAll = async (files: File[]) => {
    const list = document.createElement("ul")
    list.className = "uploads"
    list.setAttribute("aria-live", "polite")
    root.append(list)
    let next: string | undefined
    let hasFailed = false
    for (const file of files) {
      const item = document.createElement("li")
      const bar = document.createElement("progress")
      bar.max = 1
      bar.value = 0
      bar.setAttribute("aria-label", file.name)
      item.append(`${file.name} `, bar)
      list.append(item)
      const { url, message } = await send(form, file, bar)
      if (url) next = url
      else {
        hasFailed = true
        item.textContent = `${file.name}: ${message}`
        item.className = "field-error"
      }
    }
    input.value = ""
    delete form.dataset.sent
    // The messages stay until the page is loaded again.
    if (next && !hasFailed) onDone(next)
  }

  const upload = (files: Iterable<File>) => {
    sendAll([...files]).catch(() => undefined)
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault()
    upload(input.files ?? [])
  })
  root.addEventListener("dragover", (event) => {
    event.preventDefault()
    root.dataset.over = "yes"
  })
  root.addEventListener("dragleave", () => delete root.dataset.over)
  root.addEventListener("drop", (event) => {
    event.preventDefault()
    delete root.dataset.over
    upload(event.dataTransfer?.files ?? [])
  })
}
