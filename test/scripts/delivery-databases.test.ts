// The option of `npm start` that adds delivery databases.
import { rmSync } from "node:fs"
import { expect, test } from "vitest"
import { readWranglerConfig } from "../../tools/lib/project.ts"
import { addDeliveryDatabases } from "../../tools/local/delivery-databases.ts"

test("--delivery-databases adds databases with the central schema to the configuration", () => {
  const { databases, args } = addDeliveryDatabases(["--delivery-databases=2"])
  const file = args[1] ?? ""
  const config = readWranglerConfig(file)
  rmSync(file)
  expect(databases.map(({ binding }) => binding)).toEqual(["WEBHOOKS_1", "WEBHOOKS_2"])
  expect(config.d1_databases).toEqual([...readWranglerConfig().d1_databases, ...databases])
  expect(config.main).toBe(readWranglerConfig().main)
  expect(args.slice(2)).toEqual(["--var", "WEBHOOK_DATABASES:DB,WEBHOOKS_1,WEBHOOKS_2"])
})

test("--delivery-databases adds nothing when it is absent, and refuses anything but a number from 1 to 16", () => {
  expect(addDeliveryDatabases(["--demo-push"])).toEqual({ databases: [], args: [] })
  for (const text of ["0", "17", "many", ""])
    expect(() => addDeliveryDatabases([`--delivery-databases=${text}`])).toThrow("is not a number from 1 to 16")
})
