// npm run static-files: writes the files of assets/ that are made of others. Wrangler runs it before every build.
import { writeStaticFiles } from "../tools/lib/static-files.ts"

writeStaticFiles()
