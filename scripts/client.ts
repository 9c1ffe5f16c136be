// npm run client: packs the client into dist/client, from where `npm install ./dist/client` or `npm publish` takes it.
import { join, relative } from "node:path"
import { root, UserError } from "../tools/lib/project.ts"
import { packClient } from "../tools/openapi/client-package.ts"

const directory = join(root, "dist/client")
try {
  await packClient(directory)
  console.log(`Packed the client into ${relative(process.cwd(), directory)}.`)
} catch (error) {
  console.error(error instanceof UserError ? error.message : error)
  process.exit(1)
}
