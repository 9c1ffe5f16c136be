// Runs the receivers of the guide "Write a receiver" in every language that is installed, with the documented events
// in full and thin form: what they refuse, what they store once, what they report after they were restored, and that they work after a failure. Go has no
// built-in SQLite driver, so its receiver runs against a driver that knows the statements of the guide.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { root } from "../../tools/lib/project"
import { getScratchDirectory } from "../../tools/local/scratch"
import { isInstalled } from "../support/languages"

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

/** A request to the receiver, which fails if `fails` is set, or SQL that changes its database before the next one. */
type Step = { sql: string } | { token?: string; body: string; isClosed?: boolean; maxWaiting?: number; fails?: boolean }

const idOf = (number: number): string => `01K4YQZ0M8T3V6N9R2B5C7D1${String(number).padStart(2, "0")}`

const eventBody = (number: number, more: object = {}): string =>
  JSON.stringify({ id: idOf(number), type: "store.ready", data: { store: { id: "acme", name: "Ünïcödé" } }, ...more })

/** Makes the database reject events of the type `rejected`. */
const REJECT_SQL =
  "create trigger reject before insert on events when new.type = 'rejected' begin select raise(abort, 'rejected'); end"

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
  // An event that cannot be stored does not block the next one.
  [{ sql: REJECT_SQL }, null],
  [{ body: eventBody(6, { type: "rejected" }), fails: true }, [500, {}]],
  [{ body: eventBody(7) }, [204, { "webhook-cursor": idOf(4) }]],
]

const STORED = [1, 2, 4, 7].map((number) => idOf(number))

/** How to run each language: a program around the code block that prints the responses and the stored ids as JSON. */
const PROGRAMS: Record<
  string,
  { fence: string; file: string; probe: string[]; run?: string[]; around(code: string): string }
> = {
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
const responses = steps.map(({ sql, token = "one", body, fails, ...options }) => {
  if (sql) return void db.exec(sql) ?? null
  try {
    const { status, headers } = receive(db, { headers: { authorization: \`Bearer \${token}\` }, body }, { token: "one", ...options })
    return [status, headers]
  } catch (error) {
    if (!fails) throw error
    return [500, {}]
  }
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
    try {
        [$status, $sent] = receive($db, $headers, $step['body'], 'one', $step['isClosed'] ?? false, $step['maxWaiting'] ?? 1000);
        return [$status, (object) $sent];
    } catch (PDOException $error) {
        if (!isset($step['fails'])) throw $error;
        return [500, (object) []];
    }
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
    try:
        return receive(db, headers, step["body"], "one", step.get("isClosed", False), step.get("maxWaiting", 1000))
    except sqlite3.Error:
        if "fails" not in step:
            raise
        return 500, {}
responses = [run(step) for step in given["steps"]]
print(json.dumps({"responses": responses, "ids": [id for (id,) in db.execute("select id from events order by id")]}))
`,
  },
  Go: {
    fence: "go",
    file: "receive.go",
    probe: ["go", "version"],
    run: ["go", "run", "receive.go"],
    around: (code) => `package main

import (
	"crypto/subtle"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sort"
	"strings"
)

${code}
var waiting = map[string]bool{}
var inTransaction, rejects bool

func ids() []string {
	found := []string{}
	for id := range waiting {
		found = append(found, id)
	}
	sort.Strings(found)
	return found
}

type memory struct{}
type statement struct{ text string }
type result struct {
	value driver.Value
	read  bool
}

func (memory) Open(string) (driver.Conn, error)             { return memory{}, nil }
func (memory) Prepare(text string) (driver.Stmt, error)     { return statement{text}, nil }
func (memory) Close() error                                 { return nil }
func (memory) Begin() (driver.Tx, error) {
	if inTransaction {
		return nil, errors.New("cannot start a transaction within a transaction")
	}
	inTransaction = true
	return memory{}, nil
}
func (memory) Commit() error                                { inTransaction = false; return nil }
func (memory) Rollback() error                              { inTransaction = false; return nil }
func (statement) Close() error                              { return nil }
func (statement) NumInput() int                             { return -1 }
func (*result) Columns() []string                           { return []string{"value"} }
func (*result) Close() error                                { return nil }
func (r *result) Next(row []driver.Value) error {
	if r.read {
		return io.EOF
	}
	row[0], r.read = r.value, true
	return nil
}

func (s statement) Query([]driver.Value) (driver.Rows, error) {
	switch s.text {
	case "select count(*) from events where handled_at is null":
		total := int64(0)
		for _, isWaiting := range waiting {
			if isWaiting {
				total++
			}
		}
		return &result{value: total}, nil
	case "select max(id) from events":
		if all := ids(); len(all) > 0 {
			return &result{value: all[len(all)-1]}, nil
		}
		return &result{}, nil
	}
	return nil, errors.New(s.text)
}

func (s statement) Exec(values []driver.Value) (driver.Result, error) {
	switch {
	case strings.HasPrefix(s.text, "create trigger reject "):
		rejects = true
	case s.text == "insert or ignore into events (id, type, payload, url) values (?, ?, ?, ?)":
		if rejects && values[1] == "rejected" {
			return nil, errors.New("rejected")
		}
		if _, isKnown := waiting[values[0].(string)]; !isKnown {
			waiting[values[0].(string)] = true
		}
	case s.text == "update events set handled_at = 'now'":
		for id := range waiting {
			waiting[id] = false
		}
	case strings.HasPrefix(s.text, "delete from events where id > '"):
		last := strings.Split(s.text, "'")[1]
		for id := range waiting {
			if id > last {
				delete(waiting, id)
			}
		}
	default:
		return nil, errors.New(s.text)
	}
	return driver.RowsAffected(1), nil
}

func main() {
	sql.Register("memory", memory{})
	db, _ := sql.Open("memory", "")
	var given struct {
		Steps []struct {
			SQL, Token, Body string
			IsClosed, Fails  bool
			MaxWaiting       int
		}
	}
	text, _ := os.ReadFile("steps.json")
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	responses := []any{}
	for _, step := range given.Steps {
		if step.SQL != "" {
			if _, err := db.Exec(step.SQL); err != nil {
				panic(err)
			}
			responses = append(responses, nil)
			continue
		}
		token, most := "one", 1000
		if step.Token != "" {
			token = step.Token
		}
		if step.MaxWaiting > 0 {
			most = step.MaxWaiting
		}
		sent, err := Receive(db, "Bearer "+token, []byte(step.Body), "one", step.IsClosed, most)
		if err != nil && step.Fails {
			sent.Status, err = 500, nil
		}
		if err != nil {
			panic(err)
		}
		if sent.Headers == nil {
			sent.Headers = map[string]string{}
		}
		responses = append(responses, []any{sent.Status, sent.Headers})
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"responses": responses, "ids": ids()})
}
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
rescue SQLite3::Exception
  raise unless step["fails"]
  [500, {}]
end
puts JSON.generate({ responses: responses, ids: db.execute("select id from events order by id").flatten })
`,
  },
}

describe("writing a receiver", () => {
  for (const [language, { fence, file, probe, run, around: wrap }] of Object.entries(PROGRAMS)) {
    // lint: the languages of the guide need not be installed
    test.skipIf(!isInstalled(language, probe))(
      `the guide's receiver in ${language} stores events once, reports what it has, and survives a failure`,
      () => {
        const cwd = join(directory, fence)
        mkdirSync(cwd)
        writeFileSync(join(cwd, "steps.json"), JSON.stringify({ schema: SCHEMA, steps: STEPS.map(([step]) => step) }))
        writeFileSync(join(cwd, file), wrap(extractCode(fence)))
        const [program = "", ...args] = run ?? [...probe.slice(0, 1), file]
        // Go keeps what it built in a folder of the user's.
        const env = { ...process.env, HOME: directory, GO111MODULE: "off" }
        const { stdout, stderr, status } = spawnSync(program, args, { cwd, env, encoding: "utf8" })
        expect([status, stderr]).toEqual([0, ""])
        expect(JSON.parse(stdout)).toEqual({ responses: STEPS.map(([, response]) => response), ids: STORED })
      },
      60_000,
    )
  }
})
