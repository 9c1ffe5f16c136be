// Made by `npm run console-assets`: files of assets/ with the hashes of their content.
export const STYLE = { path: "docs/style.css", hash: "f073a14322e3f833" }
export const SCRIPT = { path: "docs/script.js", hash: "c44a0075397111fb" }
export const TRY_IT_SCRIPT = { path: "docs/try-it.js", hash: "1a242495a1c10081" }
