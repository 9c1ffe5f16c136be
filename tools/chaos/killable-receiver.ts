// A webhook receiver that can be killed at any time: it appends each request to a file before it responds.
//
//   node tools/chaos/killable-receiver.ts <port> <file>
import { appendFileSync } from "node:fs"
import { createServer } from "node:http"
import { text as readText } from "node:stream/consumers"

const [port, file = ""] = process.argv.slice(2)

createServer(async (request, response) => {
  const body = await readText(request)
  appendFileSync(file, `${JSON.stringify({ headers: request.headers, body })}\n`)
  response.writeHead(204).end()
}).listen(Number(port), "127.0.0.1")
