// Made by `npm run console-assets`: files of assets/ with the hashes of their content.
export const STYLE = { path: "docs/style.css", hash: "baa5e2d649816b14" }
export const SCRIPT = { path: "docs/script.js", hash: "c44a0075397111fb" }
