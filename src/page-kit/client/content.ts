// The script of pages with rich texts, pictures or uploads.
import { startEditor } from "./editor"
import { startPicker } from "./picker"
import { startUpload } from "./upload"

const start = (selector: string, run: (root: HTMLElement) => void) => {
  for (const root of document.querySelectorAll<HTMLElement>(selector)) run(root)
}

start("[data-editor]", startEditor)
start("[data-picker]", startPicker)
start("[data-drop]", (root) => startUpload(root, (url) => location.assign(url)))
