import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { buildAssets } from "../../tools/lib/console-assets"
import { root } from "../../tools/lib/project"

test("the console's assets are up to date (npm run console-assets writes them)", async () => {
  expect(readFileSync(join(root, "src/page-kit/assets/built.ts"), "utf8")).toBe(await buildAssets())
})
