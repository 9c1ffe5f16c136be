// Runs the receivers of the guide "Writing a receiver" in every language that is installed, with the documented events
// in full and thin form: what they refuse, what they store once, and what they report after they were restored. Go is not
// among them, because it has no built-in SQLite driver.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"

const directory = mkdtempSync(join(getScratchDirectory(), "receivers-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const guide = readFileSync(join(root, "docs/guides/writing-a-receiver.md"), "utf8")

/** Returns the code block of a language. */
function extractCode(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(guide) ?? []
  if (!code) throw new Error(`The guide has no code in ${language}`)
  return code
}

const SCHEMA = extractCode("sql")

/** A request to the receiver, or SQL that changes its database before the next one. */
type Step = { sql: string } | { token?: string; body: string; isClosed?: boolean; maxWaiting?: number }

const idOf = (number: number): string => `01K4YQZ0M8T3V6N9R2B5C7D1${String(number).padStart(2, "0")}`

const eventBody = (number: number, more: object = {}): string =>
  JSON.stringify({ id: idOf(number), type: "store.ready", data: { store: { id: "acme", name: "Ünïcödé" } }, ...more })

const STEPS: [step: Step, response: [number, Record<string, string>] | null][] = [
  [{ body: eventBody(1), token: "wrong" }, [401, {}]],
  [{ body: eventBody(1) }, [204, {}]],
  [{ body: JSON.stringify({ id: idOf(99), type: "ping", data: {} }) }, [204, {}]],
  [{ body: eventBody(2, { url: "https://platform.example/events/2" }) }, [204, { "webhook-cursor": idOf(1) }]],
  // A duplicate is accepted, and reports what there is.
  [{ body: eventBody(2) }, [204, { "webhook-cursor": idOf(2) }]],
  [{ body: eventBody(3), maxWaiting: 2 }, [503, { "Retry-After": "30" }]],
  [{ sql: "update events set handled_at = 'now'" }, null],
  [{ body: eventBody(3), maxWaiting: 2 }, [204, { "webhook-cursor": idOf(2) }]],
  // Restored from a backup, it reports the newest event that is left.
  [{ sql: "delete from events where id > '01K4YQZ0M8T3V6N9R2B5C7D101'" }, null],
  [{ body: eventBody(4) }, [204, { "webhook-cursor": idOf(1) }]],
  // Events that are sent again do not lower the cursor.
  [{ body: eventBody(2) }, [204, { "webhook-cursor": idOf(4) }]],
  [{ body: eventBody(5), isClosed: true }, [410, {}]],
]

const STORED = [1, 2, 4].map((number) => idOf(number))

/** How to run each language: a program around the code block that prints the responses and the stored ids as JSON. */
const PROGRAMS: Record<string, { fence: string; file: string; probe: string[]; around(code: string): string }> = {
  "Node.js": {
    fence: "js",
    file: "receive.mjs",
    probe: [process.execPath, "--version"],
    around: (code) => `${code}
import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
const { schema, steps } = JSON.parse(readFileSync("steps.json", "utf8"))
const db = new DatabaseSync(":memory:")
db.exec(schema)
const responses = steps.map(({ sql, token = "one", body, ...options }) => {
  if (sql) return void db.exec(sql) ?? null
  const { status, headers } = receive(db, { headers: { authorization: \`Bearer \${token}\` }, body }, { token: "one", ...options })
  return [status, headers]
})
console.log(JSON.stringify({ responses, ids: db.prepare("select id from events order by id").all().map(({ id }) => id) }))
`,
  },
  PHP: {
    fence: "php",
    file: "receive.php",
    probe: ["php", "-r", "exit(extension_loaded('pdo_sqlite') ? 0 : 1);"],
    around: (code) => `<?php
${code}
['schema' => $schema, 'steps' => $steps] = json_decode(file_get_contents('steps.json'), true);
$db = new PDO('sqlite::memory:');
$db->exec($schema);
$responses = array_map(function ($step) use ($db) {
    if (isset($step['sql'])) { $db->exec($step['sql']); return null; }
    $headers = ['authorization' => 'Bearer ' . ($step['token'] ?? 'one')];
    [$status, $sent] = receive($db, $headers, $step['body'], 'one', $step['isClosed'] ?? false, $step['maxWaiting'] ?? 1000);
    return [$status, (object) $sent];
}, $steps);
echo json_encode(['responses' => $responses, 'ids' => $db->query('select id from events order by id')->fetchAll(PDO::FETCH_COLUMN)]);
`,
  },
  Python: {
    fence: "python",
    file: "receive.py",
    probe: ["python3", "-c", "import sqlite3"],
    around: (code) => `${code}
import sqlite3
given = json.load(open("steps.json", encoding="utf-8"))
db = sqlite3.connect(":memory:", isolation_level=None)
db.execute(given["schema"])
def run(step):
    if "sql" in step:
        db.execute(step["sql"])
        return None
    headers = {"authorization": "Bearer " + step.get("token", "one")}
    return receive(db, headers, step["body"], "one", step.get("isClosed", False), step.get("maxWaiting", 1000))
responses = [run(step) for step in given["steps"]]
print(json.dumps({"responses": responses, "ids": [id for (id,) in db.execute("select id from events order by id")]}))
`,
  },
  Ruby: {
    fence: "ruby",
    file: "receive.rb",
    probe: ["ruby", "-e", 'require "sqlite3"'],
    around: (code) => `${code}
require "sqlite3"
given = JSON.parse(File.read("steps.json", encoding: "UTF-8"))
db = SQLite3::Database.new(":memory:")
db.execute(given["schema"])
responses = given["steps"].map do |step|
  next db.execute(step["sql"]) && nil if step["sql"]
  headers = { "authorization" => "Bearer #{step["token"] || "one"}" }
  receive(db, headers, step["body"], token: "one", closed: step["isClosed"] || false, max_waiting: step["maxWaiting"] || 1000)
end
puts JSON.generate({ responses: responses, ids: db.execute("select id from events order by id").flatten })
`,
  },
}

describe("writing a receiver", () => {
  for (const [language, { fence, file, probe, around: wrap }] of Object.entries(PROGRAMS)) {
    const [command = "", ...version] = probe
    // lint: the languages of the guide need not be installed
    test.skipIf(spawnSync(command, version).status !== 0)(
      `the guide's receiver in ${language} stores events once, and reports what it has`,
      () => {
        const cwd = join(directory, fence)
        mkdirSync(cwd)
        writeFileSync(join(cwd, "steps.json"), JSON.stringify({ schema: SCHEMA, steps: STEPS.map(([step]) => step) }))
        writeFileSync(join(cwd, file), wrap(extractCode(fence)))
        const { stdout, stderr, status } = spawnSync(command, [file], { cwd, encoding: "utf8" })
        expect([status, stderr]).toEqual([0, ""])
        expect(JSON.parse(stdout)).toEqual({ responses: STEPS.map(([, response]) => response), ids: STORED })
      },
      60_000,
    )
  }
})
