// The identity of the rendering, which validates cached responses.
import { expect, test } from "vitest"
import { renderingId } from "../../src/core/cache/rendering"
import { withSettings } from "../support/app"

const versionMetadata = (id: string) =>
  ({ VERSION: { id, tag: "", timestamp: "" } }) as unknown as Record<string, string>

test("changes with a setting, but not with a secret", () => {
  const id = renderingId(withSettings({ TENANCY_TRIAL_REMINDER_DAYS: "3" }))
  expect(renderingId(withSettings({ TENANCY_TRIAL_REMINDER_DAYS: "3", OPERATOR_TOKEN: "x".repeat(40) }))).toBe(id)
  expect(renderingId(withSettings({ TENANCY_TRIAL_REMINDER_DAYS: "3", APP_NAME: "Another name" }))).not.toBe(id)
})

test("changes with the Worker's version where no deployment has defined a hash of the code", () => {
  expect(renderingId(withSettings(versionMetadata("a")))).toMatch(/^a\.[0-9a-f]{8}$/)
})

test("is the hash of the code where a deployment has defined it", () => {
  Object.assign(globalThis, { RENDERING_HASH: "code" })
  try {
    const ids = ["a", "b"].map((id) => renderingId(withSettings(versionMetadata(id))))
    expect(ids[0]).toMatch(/^code\.[0-9a-f]{8}$/)
    expect(ids[1]).toBe(ids[0])
  } finally {
    Reflect.deleteProperty(globalThis, "RENDERING_HASH")
  }
})
