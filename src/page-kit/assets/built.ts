// Made by `npm run console-assets`: files of assets/ with the hashes of their content.
export const STYLE = { path: "page-kit/style.css", hash: "e7fbfbf21b7b91c4" }
export const SCRIPT = { path: "page-kit/script.js", hash: "f7da97ee89032823" }
export const EDITOR_SCRIPT = { path: "page-kit/editor.js", hash: "6b7133d928ee1d9b" }
