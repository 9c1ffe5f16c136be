// npm run client: builds the client package in dist/client, for `npm install ./dist/client`.
import { join, relative } from "node:path"
import { root, UserError } from "../tools/lib/project.ts"
import { packClient } from "../tools/openapi/client-package.ts"

const directory = join(root, "dist/client")
try {
  await packClient(directory)
  console.log(`Built the client package in ${relative(process.cwd(), directory)}.`)
} catch (error) {
  console.error(error instanceof UserError ? error.message : error)
  process.exit(1)
}
