import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { buildAssets } from "../../tools/lib/console-assets"
import { root } from "../../tools/lib/project"

test("the console's assets are up to date (npm run console-assets writes them)", async () => {
  for (const [path, text] of Object.entries(await buildAssets()))
    expect(readFileSync(join(root, path), "utf8"), path).toBe(text)
})
