// The license manager's internal API reports all invalid fields at once, also those that need a lookup.
import { expect, test } from "vitest"
import { internalClient, makeLicense, makeProduct, makeVersion } from "../support/license-factories"

test("reports every invalid field of a request", async () => {
  const internal = await internalClient()
  const product = await makeProduct({ reference_id: "TAKEN" })
  await makeVersion(product, "1.0.0")
  const { id, code } = await makeLicense(product)
  const version = await internal("POST", "/products/TAKEN/versions", { json: { version: "1.1.0", version_id: "v11" } })
  expect(version.status).toBe(201)
  const cases: [string, string, object, string[]][] = [
    ["POST", "/product-licenses", { product_reference_id: "NO", email: "x" }, ["email", "product_reference_id"]],
    [
      "POST",
      "/product-licenses",
      { product_reference_id: "NO", license_code: code.toUpperCase(), uses: 0 },
      ["license_code", "product_reference_id", "uses"],
    ],
    ["PUT", `/product-licenses/${id}`, { product_reference_id: "NO", uses: 0 }, ["product_reference_id", "uses"]],
    ["POST", "/products", { reference_id: "TAKEN", name: "" }, ["name", "reference_id"]],
    [
      "POST",
      "/products/TAKEN/versions",
      { version: "1.0.0", version_id: "v11", released_at: "x" },
      ["released_at", "version", "version_id"],
    ],
    ["POST", "/products/TAKEN/versions/v11", { version: "1.0.0", released_at: "x" }, ["released_at", "version"]],
    [
      "POST",
      `/activated-product-activations/${id}`,
      { license_code: "OTHER", domain: "example.com", ip: "x" },
      ["ip", "license_code"],
    ],
  ]
  for (const [method, path, json, fields] of cases) {
    const response = await internal(method, path, { json })
    expect.soft(response.status, path).toBe(422)
    expect.soft(Object.keys(response.body.errors).sort(), path).toEqual(fields)
  }
})
