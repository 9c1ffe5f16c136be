// npm run console-assets: bundles and minifies the console's stylesheet and script into a module of the Worker.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildAssets } from "../tools/lib/console-assets.ts"
import { root } from "../tools/lib/project.ts"

writeFileSync(join(root, "src/page-kit/assets/built.ts"), await buildAssets())
