// Made by `npm run console-assets`: files of assets/ with the hashes of their content.
export const STYLE = { path: "page-kit/style.css", hash: "0e0c9be5ab19e8f7" }
export const SCRIPT = { path: "page-kit/script.js", hash: "f7da97ee89032823" }
export const EDITOR_SCRIPT = { path: "page-kit/editor.js", hash: "63bca10cd70b5026" }
