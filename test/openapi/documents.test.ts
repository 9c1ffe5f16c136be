// The documents in openapi/ are what the routes say today.
import { expect, test } from "vitest"
import content from "../../openapi/content.json?raw"
import license from "../../openapi/license.json?raw"
import platform from "../../openapi/platform.json?raw"
import { documentFiles } from "../../scripts/lib/documented"

test.each(Object.entries({ "platform.json": platform, "content.json": content, "license.json": license }))(
  "openapi/%s is fresh (npm run docs writes it)",
  (name, text) => {
    // Not by `toBe`, whose difference would be the whole document.
    expect(documentFiles()[name] === text).toBe(true)
  },
)
