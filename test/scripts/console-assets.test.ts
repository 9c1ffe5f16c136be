import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { buildAssets } from "../../tools/lib/console-assets"
import { root } from "../../tools/lib/project"

test("the console's assets are those that npm run console-assets makes", async () => {
  expect(readFileSync(join(root, "src/console/assets/built.ts"), "utf8")).toBe(await buildAssets())
})
