// Made by `npm run console-assets`: files of assets/ with the hashes of their content.
export const STYLE = { path: "page-kit/style.css", hash: "ffca6ca4466683ee" }
export const SCRIPT = { path: "page-kit/script.js", hash: "8fb5cdad6a1d1165" }
export const EDITOR_SCRIPT = { path: "page-kit/editor.js", hash: "d566b27fb7043488" }
