// Mutants of commits, idempotency keys, lost responses and retries.
import type { Mutant } from "./mutant.ts"

export const WRITE_PATH: readonly Mutant[] = [
  {
    name: "guard-without-rows-commits",
    file: "src/core/write/commit.ts",
    find: "flatMap((write) => [write, abortUnlessTouched])",
    replace: "flatMap((write) => [write])",
    tests: ["test/core/commit.test.ts"],
  },
  {
    name: "write-conflict-is-not-retried",
    file: "src/core/write/commit.ts",
    find: "if (!(cause instanceof WriteConflict) || attempt === MAX_ATTEMPTS) throw cause",
    replace: "throw cause",
    tests: ["test/core/commit.test.ts"],
  },
  {
    name: "unique-violation-is-not-a-conflict",
    file: "src/core/write/commit.ts",
    find: "if (!isBatchAborted(cause) && !isUniqueViolation(cause)) throw cause",
    replace: "if (!isBatchAborted(cause)) throw cause",
    tests: ["test/platform/coupons.test.ts"],
  },
  {
    name: "idempotency-key-replays-another-request",
    file: "src/core/write/idempotency.ts",
    find: "if (record.fingerprint !== fingerprint || record.isReplaced)",
    replace: "if (record.isReplaced)",
    tests: ["test/platform/idempotency.test.ts"],
  },
  {
    name: "idempotency-key-is-not-marked-as-committed",
    file: "src/core/write/idempotency.ts",
    find: "committedAt: ctx.now,",
    replace: "committedAt: null,",
    tests: ["test/platform/idempotency.test.ts"],
  },
  {
    name: "idempotency-key-lasts-two-days",
    file: "src/core/write/idempotency.ts",
    find: "const RETENTION_MS = DAY",
    replace: "const RETENTION_MS = 2 * DAY",
    tests: ["test/platform/idempotency.test.ts"],
  },
  {
    name: "lost-commit-is-committed-again",
    file: "src/core/write/lost-response.ts",
    find: "return took ? null : send()",
    replace: "return send()",
    tests: ["test/core/lost-response.test.ts"],
  },
  {
    name: "forwarded-entry-shows-a-commit",
    file: "src/core/write/lost-response.ts",
    find: "and(isRecent, isOwn, ",
    replace: "and(isRecent, ",
    tests: ["test/content/shop-settings.test.ts"],
  },
  {
    name: "site-settings-have-no-guard",
    file: "src/content/keys/service.ts",
    find: ", setWhere: isUnchanged(current) }",
    replace: " }",
    tests: ["test/console/concurrent-edits.test.ts"],
  },
  {
    name: "outbox-entry-is-forwarded-twice",
    file: "src/core/write/site-commit.ts",
    find: "origin: id })\n        .onConflictDoNothing(),",
    replace: "origin: null }),",
    tests: ["test/core/audit.test.ts"],
  },
  {
    name: "permanent-read-error-is-retried",
    file: "src/db/read-retry.ts",
    find: "if (!primary && !isTransient(cause)) throw cause",
    replace: "",
    tests: ["test/db/read-retry.test.ts"],
  },
  {
    name: "write-without-condition-changes-every-row",
    file: "src/db/write.ts",
    find: 'if (!condition) throw new Error("A write without a condition would change every row")',
    replace: "",
    tests: ["test/db/write.test.ts"],
  },
]
