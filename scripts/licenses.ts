// npm run licenses: writes docs/reference/dependencies.md of package-lock.json.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { licensePage } from "../tools/lib/licenses.ts"
import { root } from "../tools/lib/project.ts"

writeFileSync(
  join(root, "docs/reference/dependencies.md"),
  licensePage(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))),
)
