// Mutants of the scope of a site and of API keys.
import type { Mutant } from "./mutant.ts"

export const TENANT_SCOPE: readonly Mutant[] = [
  {
    name: "write-is-not-limited-to-its-site",
    file: "src/db/site-scope.ts",
    find: "return statement.where(and(own, condition))",
    replace: "return statement.where(condition)",
    tests: ["test/db/site-scope.test.ts"],
  },
  {
    name: "idle-session-lasts-a-day",
    file: "src/platform/operators/sessions.ts",
    find: "const SESSION_IDLE_TIMEOUT = 2 * HOUR",
    replace: "const SESSION_IDLE_TIMEOUT = DAY",
    tests: ["test/console/sign-in.test.ts"],
  },
  {
    name: "confirmation-never-expires",
    file: "src/platform/operators/sessions.ts",
    find: "session.confirmedAt > addMs(now, -CONFIRMATION_TTL)",
    replace: "session.confirmedAt <= now",
    tests: ["test/console/sign-in.test.ts"],
  },
  {
    name: "revoked-api-key-is-accepted",
    file: "src/platform/gate/authenticate.ts",
    find: 'if (key.revokedAt) throw new Refusal("key_revoked")',
    replace: "",
    tests: ["test/platform/gate.test.ts"],
  },
  {
    name: "api-key-is-accepted-when-it-expires",
    file: "src/platform/gate/authenticate.ts",
    find: "key.expiresAt && key.expiresAt <= now",
    replace: "key.expiresAt && key.expiresAt < now",
    tests: ["test/platform/gate.test.ts"],
  },
  {
    name: "store-key-reaches-another-store",
    file: "src/platform/gate/authenticate.ts",
    find: "if (key.pathStoreSeq === null || !key.storeSeqs.includes(key.pathStoreSeq)) throw",
    replace: "if (key.pathStoreSeq === null) throw",
    tests: ["test/platform/keys.test.ts"],
  },
  {
    name: "api-key-grants-a-scope-that-it-lacks",
    file: "src/platform/keys/service.ts",
    find: 'if (scope) throw new Refusal("insufficient_scope", { scope })',
    replace: "",
    tests: ["test/platform/keys.test.ts"],
  },
  {
    name: "staff-writes-without-the-role",
    file: "src/content/user.ts",
    find: "role && and(eq(users.isStaff, true), inArray(sql`coalesce(${users.role}, 'owner')`, rolesFrom(role)))",
    replace:
      "role && and(eq(users.isStaff, true), inArray(sql`coalesce(${users.role}, 'owner')`, rolesFrom(\"viewer\")))",
    tests: ["test/content/staff.test.ts"],
  },
  {
    name: "support-login-writes",
    file: "src/content/user.ts",
    find: "matchesToken(ctx, token), isNull(userTokens.support), eq(users.siteId",
    replace: "matchesToken(ctx, token), eq(users.siteId",
    tests: ["test/attack/support-logins.test.ts"],
  },
  {
    name: "endpoint-belongs-to-every-store",
    file: "src/webhooks/endpoints/list.ts",
    find: "(owner && row.storeSeq !== owner.seq)",
    replace: "(owner && row.storeSeq === null)",
    tests: ["test/content/webhooks.test.ts"],
  },
]
