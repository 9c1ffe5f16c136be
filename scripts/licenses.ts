// npm run licenses: generates docs/reference/dependencies.md from package-lock.json.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { renderLicensePage } from "../tools/lib/licenses.ts"
import { root } from "../tools/lib/project.ts"

writeFileSync(
  join(root, "docs/reference/dependencies.md"),
  renderLicensePage(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))),
)
