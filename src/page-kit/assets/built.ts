// Made by `npm run console-assets`: files of assets/ with the hashes of their content.
export const STYLE = { path: "page-kit/style.css", hash: "bc7097cecb8dc0b7" }
export const SCRIPT = { path: "page-kit/script.js", hash: "28cf1c5c0c2115de" }
export const EDITOR_SCRIPT = { path: "page-kit/editor.js", hash: "731a66a58fb64c82" }
