// Runs the code of the guide "Verify webhooks" in every language whose interpreter is installed, against valid and
// forged signatures and the signed examples of the OpenAPI document, and that of "License a PHP plugin".
import { spawn, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"
import { isInstalled } from "../support/languages"

const directory = mkdtempSync(join(getScratchDirectory(), "guides-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const guide = readFileSync(join(root, "docs/guides/verifying-webhooks.md"), "utf8")

/** Returns the first code block of a language. */
function extractCode(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(guide) ?? []
  if (!code) throw new Error(`The guide has no code in ${language}`)
  return code
}

interface Case {
  header: string
  body: string
  secret: string
  /** Seconds. */
  tolerance: number
  valid: boolean
}

const UNLIMITED_TOLERANCE = 3_000_000_000

/** Builds valid cases, documented and fresh, and invalid ones with one defect each. */
function buildCases(): Case[] {
  const document = readFileSync(join(root, "openapi/platform.json"), "utf8")
  const [, documentedSecret = ""] = /signed with the secret `(whsec_[^`]+)`/.exec(document) ?? []
  const documented = Object.values<Documented>(JSON.parse(document).webhooks).map(({ post }) => ({
    header: String(post.parameters.find(({ name }) => name === "X-Tenancy-Signature")?.example),
    body: JSON.stringify(post.requestBody.content["application/json"].example),
    secret: documentedSecret,
    tolerance: UNLIMITED_TOLERANCE,
    valid: true,
  }))
  const body = '{"id":"01K4YQZ0M8T3V6N9R2B5C7D1EF","name":"Ünïcödé \u{1f980}"}'
  const secret = "whsec_a-secret-of-these-tests"
  const now = Math.floor(Date.now() / 1000)
  const sign = (t: number, text = body, key = secret) => createHmac("sha256", key).update(`${t}.${text}`).digest("hex")
  const fresh = { header: `t=${now},v1=${sign(now)}`, body, secret, tolerance: 300, valid: true }
  const old = now - 400
  const wrong = (change: Partial<Case>): Case => ({ ...fresh, valid: false, ...change })
  return [
    ...documented,
    fresh,
    { ...fresh, header: `t=${now},v1=${"0".repeat(64)},v1=${sign(now)}` },
    { ...fresh, header: `t=${now},v1=${sign(now)},v1=${"0".repeat(64)}` },
    wrong({ header: `t=${old},v1=${sign(old)}` }),
    wrong({ header: `t=${now + 400},v1=${sign(now + 400)}` }),
    wrong({ header: `t=${now + 1},v1=${sign(now)}` }),
    wrong({ body: `${body} ` }),
    wrong({ secret: "whsec_another" }),
    wrong({ header: `t=${now},v0=${sign(now)}` }),
    wrong({ header: `t=${now}` }),
    wrong({ header: `v1=${sign(now)}` }),
    wrong({ header: `t=${now},v1=` }),
    wrong({ header: `t=${now},v1=zz` }),
    wrong({ header: "" }),
    wrong({ header: "nonsense" }),
    wrong({ header: `t=abc,v1=${sign(now)}` }),
  ]
}

interface Documented {
  post: {
    parameters: { name: string; example: string }[]
    requestBody: { content: { "application/json": { example: unknown } } }
  }
}

/** How to run each language: a program around the code block that prints the result of every case as JSON. */
const PROGRAMS: Record<
  string,
  { fence: string; file: string; probe: string[]; run: string[]; around(code: string): string }
> = {
  "Node.js": {
    fence: "js",
    file: "verify.mjs",
    probe: [process.execPath, "--version"],
    run: [process.execPath, "verify.mjs"],
    around: (code) => `${code}
import { readFileSync } from "node:fs"
const cases = JSON.parse(readFileSync("cases.json", "utf8"))
console.log(JSON.stringify(cases.map((one) => verify(one.header, one.body, one.secret, one.tolerance))))
`,
  },
  PHP: {
    fence: "php",
    file: "verify.php",
    probe: ["php", "--version"],
    run: ["php", "verify.php"],
    around: (code) => `<?php
${code}
$cases = json_decode(file_get_contents('cases.json'), true);
echo json_encode(array_map(fn($one) => verify($one['header'], $one['body'], $one['secret'], $one['tolerance']), $cases));
`,
  },
  Python: {
    fence: "python",
    file: "verify.py",
    probe: ["python3", "--version"],
    run: ["python3", "verify.py"],
    around: (code) => `${code}
import json
cases = json.load(open("cases.json", encoding="utf-8"))
print(json.dumps([verify(one["header"], one["body"].encode(), one["secret"], one["tolerance"]) for one in cases]))
`,
  },
  Go: {
    fence: "go",
    file: "verify.go",
    probe: ["go", "version"],
    run: ["go", "run", "verify.go"],
    around: (code) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"time"
)

${code}
func main() {
	var cases []struct {
		Header, Body, Secret string
		Tolerance            int64
	}
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, one := range cases {
		answers = append(answers, Verify(one.Header, []byte(one.Body), one.Secret, time.Duration(one.Tolerance)*time.Second))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`,
  },
  Ruby: {
    fence: "ruby",
    file: "verify.rb",
    probe: ["ruby", "--version"],
    run: ["ruby", "verify.rb"],
    around: (code) => `${code}
require "json"
cases = JSON.parse(File.read("cases.json", encoding: "UTF-8"))
puts JSON.generate(cases.map { |one| verify(one["header"], one["body"], one["secret"], tolerance: one["tolerance"]) })
`,
  },
}

describe("verifying a webhook", () => {
  for (const [language, { fence, file, probe, run, around: wrap }] of Object.entries(PROGRAMS)) {
    // lint: the languages of the guide need not be installed
    test.skipIf(!isInstalled(language, probe))(
      `the guide's code in ${language} accepts valid signatures and rejects all others`,
      () => {
        const cwd = join(directory, fence)
        mkdirSync(cwd)
        const testCases = buildCases()
        writeFileSync(join(cwd, "cases.json"), JSON.stringify(testCases))
        writeFileSync(join(cwd, file), wrap(extractCode(fence)))
        const [program = "", ...args] = run
        // Go keeps what it built in a folder of the user's.
        const env = { PATH: process.env.PATH, HOME: directory, GOFLAGS: "-mod=mod", GO111MODULE: "off" }
        const { stdout, stderr, status } = spawnSync(program, args, { cwd, env, encoding: "utf8" })
        expect([status, stderr]).toEqual([0, ""])
        expect(JSON.parse(stdout)).toEqual(testCases.map(({ valid }) => valid))
      },
      120_000,
    )
  }

  test("the guide's Worker returns 204 for a valid signature once the event is in its queue, and 400 for an invalid one", async () => {
    const file = join(directory, "worker.ts")
    const client = pathToFileURL(join(root, "src/client/index.ts")).href
    writeFileSync(file, extractCode("ts").replace('"tenancy-client"', JSON.stringify(client)))
    const { default: worker } = await import(pathToFileURL(file).href)
    const t = Math.floor(Date.now() / 1000)
    const id = "01K4YQZ0M8T3V6N9R2B5C7D1EF"
    const body = JSON.stringify({ id, type: "ping" })
    const v1 = createHmac("sha256", "whsec_one").update(`${t}.${body}`).digest("hex")
    const send = async (secret: string, enqueue: (event: { id: string }) => void) => {
      const headers = { "X-Tenancy-Signature": `t=${t},v1=${v1}` }
      const request = new Request("https://hooks.example/", { method: "POST", headers, body })
      const env = { WEBHOOK_SECRET: secret, EVENTS: { send: async (event: { id: string }) => enqueue(event) } }
      return (await worker.fetch(request, env)).status
    }
    const queued: string[] = []
    const enqueue = (event: { id: string }) => void queued.push(event.id)
    expect([await send("whsec_one", enqueue), await send("whsec_two", enqueue), queued]).toEqual([204, 400, [id]])
    const fail = () => {
      throw new Error("the queue is down")
    }
    await expect(send("whsec_one", fail)).rejects.toThrow("the queue is down")
  })
})

/** Runs the PHP of the guide "License a PHP plugin" from the command line, as a cron job would. */
describe("licensing a PHP plugin", () => {
  // lint: the languages of the guide need not be installed
  test.skipIf(!isInstalled("PHP", ["php", "-r", "exit(extension_loaded('curl') ? 0 : 1);"]))(
    "the guide's code sends the configured URL of the site with every request, also without a web server",
    async () => {
      const cwd = join(directory, "licensing")
      mkdirSync(cwd)
      const requests: [path: string | undefined, site: string | string[] | undefined][] = []
      const server = createServer((request, response) => {
        requests.push([request.url, request.headers["x-api-url"]])
        response.end(
          JSON.stringify({ is_active: true, data: { license_data: "one" }, update_available: true, update_id: "7" }),
        )
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      const { port } = server.address() as AddressInfo
      const blocks = [
        ...readFileSync(join(root, "docs/guides/licensing-a-php-plugin.md"), "utf8").matchAll(
          /^```php\n([\s\S]*?)^```$/gm,
        ),
      ]
      const code = blocks
        .map(([, block = ""]) => block)
        .join("\n")
        .replace("https://platform.example", `http://127.0.0.1:${port}`)
        .replace("/var/lib/acme-seo/license", join(cwd, "license"))
      writeFileSync(join(cwd, "cron.php"), `<?php\n$code = 'C'; $customer = 'Ada';\n${code}\nvar_export($may_run);`)
      const php = spawn("php", ["cron.php"], { cwd, env: { PATH: process.env.PATH, HOME: directory } })
      const chunks: Buffer[] = []
      php.stdout.on("data", (chunk) => chunks.push(chunk))
      const [status] = await once(php, "close")
      server.close()
      expect([status, Buffer.concat(chunks).toString()]).toEqual([0, "true"])
      expect(requests).toEqual(
        ["license/activate", "license/verify", "update/check", "update/7/download/main", "license/deactivate"].map(
          (path) => [`/api/external/${path}`, "https://shop.example"],
        ),
      )
    },
  )
})
