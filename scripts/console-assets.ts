// npm run console-assets: bundles and minifies stylesheets and scripts to assets/.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { buildAssets } from "../tools/lib/console-assets.ts"
import { root } from "../tools/lib/project.ts"

for (const [path, text] of Object.entries(await buildAssets())) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
