// Migrations: compatibility with D1's remote statement splitter, the schema and the running version.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, test } from "vitest"
import central from "../../drizzle.central.config"
import sites from "../../drizzle.sites.config"
import { checkPlatformLimits } from "../../tools/faults/limits"
import { root } from "../../tools/lib/project"
import { findFormatErrors, findRemovals, isContract } from "../../tools/lint/migration-rules"
import { getScratchDirectory } from "../../tools/local/scratch"

const files = ["central", "sites"].flatMap((schema) =>
  readdirSync(join(root, "migrations", schema))
    .filter((name) => name.endsWith(".sql"))
    .map((name) => ({ name: `${schema}/${name}`, sql: readFileSync(join(root, "migrations", schema, name), "utf8") })),
)

describe("every migration", () => {
  test("contains nothing that D1's statement splitter misreads", () => {
    expect(files.length).toBeGreaterThan(20)
    for (const { name, sql } of files) expect.soft(findFormatErrors(sql), name).toEqual([])
  })

  test("stays within D1's limits for statements", () => {
    // Only triggers contain semicolons, at the ends of their lines.
    const statements = files.flatMap(({ sql }) => sql.split(/;\s*(?:--> statement-breakpoint)?\n/))
    expect(statements.length).toBeGreaterThan(200)
    for (const sql of statements) expect.soft(() => checkPlatformLimits(sql, []), sql.slice(0, 100)).not.toThrow()
  })

  test("is marked in its first line exactly when it removes something", () => {
    for (const { name, sql } of files) {
      // These replaced a search index by one that the release before could not query.
      if (/_search_short_terms\.sql$/.test(name)) continue
      expect.soft(isContract(sql), `${name}: ${findRemovals(sql)}`).toBe(findRemovals(sql).length > 0)
    }
  })

  test.each([
    ["central", central],
    ["sites", sites],
  ])(
    "matches the schema of %s: drizzle-kit finds nothing to add",
    (schema, config) => {
      const out = mkdtempSync(join(getScratchDirectory(), "tenancy-drift-"))
      try {
        cpSync(join(root, "migrations", schema), out, { recursive: true })
        const before = readdirSync(out)
        const drizzle = join(root, "node_modules", "drizzle-kit", "bin.cjs")
        // drizzle-kit treats an absolute directory as relative to its own.
        const where = ["--schema", String(config.schema), "--out", relative(root, out)]
        const args = ["generate", "--dialect", "sqlite", ...where]
        const { status, stdout, stderr } = spawnSync(process.execPath, [drizzle, ...args, "--name", "drift"], {
          cwd: root,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "pipe"],
        })
        expect(status, stderr).toBe(0)
        expect(readdirSync(out)).toEqual(before)
        expect(stdout, stderr).toContain("No schema changes")
      } finally {
        rmSync(out, { recursive: true, force: true })
      }
    },
    60_000,
  )
})

describe("migration format", () => {
  const TRIGGER = "CREATE TRIGGER `a` AFTER INSERT ON `t` BEGIN\n  SELECT 1;\nEND;\n"

  test("accepts triggers in the required style, and any strings and names", () => {
    expect(findFormatErrors(`-- How many there are.\n${TRIGGER}`)).toEqual([])
    expect(findFormatErrors("INSERT INTO `begin` VALUES ('case; end -- it''s');\n")).toEqual([])
    expect(findFormatErrors("SELECT 1;--> statement-breakpoint\nSELECT 2;")).toEqual([])
  })

  test.each([
    ["-- a site's id\nSELECT 1;", "line 1: a comment has no quotes, apostrophes, backticks or semicolons"],
    ['-- the "runs"\nSELECT 1;', "line 1: a comment has no quotes, apostrophes, backticks or semicolons"],
    ["-- holds `ab`\nSELECT 1;", "line 1: a comment has no quotes, apostrophes, backticks or semicolons"],
    ["-- first; second\nSELECT 1;", "line 1: a comment has no quotes, apostrophes, backticks or semicolons"],
    ["SELECT 1; -- why", "line 1: a comment must be on its own line"],
    ["/* why */ SELECT 1;", "line 1: comments are lines that begin with --"],
    ["SELECT 1;\r\n", "line endings must be LF"],
    [TRIGGER.replace("BEGIN", "begin"), "line 1: BEGIN and END are upper case"],
    [TRIGGER.replace("END;", "end;"), "line 3: BEGIN and END are upper case"],
    [TRIGGER.replace("BEGIN\n", "BEGIN"), "line 1: BEGIN ends the line of its trigger"],
    [TRIGGER.replace("\nEND;", " END;"), "line 2: END; must be on its own line"],
    [TRIGGER.replace("END;", "END"), "the last trigger must end with its own END;"],
    [
      TRIGGER.replace("SELECT 1", "SELECT CASE WHEN 1 THEN 2\n  END"),
      "line 2: a trigger has no CASE: its END is taken for the end of the trigger",
    ],
  ])("refuses %j", (sql, error) => {
    expect(findFormatErrors(sql)).toContain(error)
  })
})

describe("removals", () => {
  test.each([
    ["DROP TABLE `apps`;", ["DROP TABLE apps"]],
    ["drop table if exists apps;", ["DROP TABLE apps"]],
    ["ALTER TABLE `a` DROP COLUMN `b`;", ["DROP COLUMN b"]],
    ["ALTER TABLE `a` RENAME COLUMN `b` TO `c`;", ["ALTER TABLE `a` RENAME"]],
    ["DROP INDEX `a_b`;", ["DROP INDEX a_b"]],
    ["DROP TABLE `a`;\nCREATE TABLE `a` (`b` text);", ["DROP TABLE a"]],
    ["DELETE FROM `counters` WHERE 1;", ["DELETE FROM `counters`"]],
  ])("finds the removals in %j", (sql, expected) => {
    expect(findRemovals(sql)).toEqual(expected)
  })

  test.each([
    "CREATE TABLE `a` (`b` text);",
    "ALTER TABLE `a` ADD `b` text;",
    "UPDATE `a` SET `b` = 1;",
    "-- DROP TABLE of another time\nSELECT 1;",
    "DROP TRIGGER `a`;\nCREATE TRIGGER `a` AFTER DELETE ON `t` BEGIN\n  DELETE FROM `u`;\nEND;",
    "DROP INDEX `a`;\nCREATE UNIQUE INDEX `a` ON `t` (`b`);",
    "DROP TABLE `a`;\nCREATE VIRTUAL TABLE `a` USING fts5(`b`);",
  ])("finds no removal in %j", (sql) => {
    expect(findRemovals(sql)).toEqual([])
  })
})
