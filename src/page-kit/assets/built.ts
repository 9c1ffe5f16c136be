// Made by `npm run console-assets`: files of assets/ with the hashes of their content.
export const STYLE = { path: "page-kit/style.css", hash: "a914a30e854e5d6d" }
export const SCRIPT = { path: "page-kit/script.js", hash: "f7da97ee89032823" }
export const EDITOR_SCRIPT = { path: "page-kit/editor.js", hash: "121cf33f3c3798e9" }
