// Runs npm run deploy, and its checks, against a mock wrangler and a health check on loopback.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, test } from "vitest"
import { areProxied } from "../../../tools/deploy/check-account"
import { readWranglerConfig, root } from "../../../tools/lib/project"
import {
  account,
  at,
  deploy,
  directory,
  files,
  health,
  listCalls,
  listChanges,
  omitLast,
  runOperator,
  setAccount,
  useAccount,
} from "./support"

useAccount()

describe("a deployment", { timeout: 60_000 }, () => {
  test("uploads, saves bookmarks, migrates, activates and runs the health check, in that order", async () => {
    setAccount({ applied: { DB: files.DB, SITES_1: [] } })
    const { status, output } = await deploy()
    expect(output).toContain("The new version is healthy.")
    expect(status).toBe(0)
    expect(listChanges()).toEqual([
      "versions upload",
      "d1 time-travel info DB",
      "d1 time-travel info SITES_1",
      "d1 migrations apply SITES_1",
      "versions deploy version-2@0% version-1@100%",
      "versions deploy version-2@100%",
      "triggers deploy",
    ])
    const upload = listCalls().find((line) => line.startsWith("versions upload"))
    expect(upload).toMatch(/ --define RENDERING_HASH:"[0-9a-f]{20}"/)
    expect(output).toContain("npx wrangler rollback version-1 --yes")
    expect(output).toContain("npx wrangler d1 time-travel restore SITES_1 --bookmark=bookmark-of-SITES_1")
  })

  test("a repeated deployment only publishes the triggers again", async () => {
    setAccount()
    expect((await deploy()).status).toBe(0)
    const before = listChanges().length
    const { status, output } = await deploy()
    expect(status).toBe(0)
    expect(output).toContain("Nothing to deploy: version-2 already serves this code")
    expect(listChanges().slice(before)).toEqual(["triggers deploy"])
    expect((await deploy("--force")).status).toBe(0)
    expect(account.deployment).toEqual(at("version-3", 100))
    // Other code is another deployment.
    Object.assign(account, { code: "export default { changed: true }" })
    await deploy()
    expect(account.deployment).toEqual(at("version-4", 100))
  })

  test("the first deployment requires a secrets file and deploys the whole Worker", async () => {
    setAccount({ secrets: null, deployment: [], versions: {}, applied: { DB: [], SITES_1: [] } })
    const refused = await deploy()
    expect(refused.status).toBe(1)
    expect(refused.output).toContain(
      "The Worker tenancy does not exist yet. Pass its secrets (APP_KEY, OPERATOR_TOKEN) in a file",
    )
    expect(listChanges()).toEqual([])
    const secrets = join(directory, "secrets.env")
    writeFileSync(secrets, "APP_KEY=a\nOPERATOR_TOKEN=b\n")
    const made = await deploy(`--secrets-file=${secrets}`)
    expect(made.output).toContain("Deployed version-1.")
    expect(made.status).toBe(0)
    expect(account.applied).toEqual(files)
    expect(
      listCalls().some((line) => line.startsWith("deploy --tag") && line.includes(`--secrets-file ${secrets}`)),
    ).toBe(true)
  })

  test("a new Durable Object class causes a full deployment instead of an upload", async () => {
    setAccount({ failures: { "versions upload": "Version upload failed. [code: 10211]" } })
    const { status } = await deploy()
    expect(status).toBe(0)
    expect(listChanges()).toEqual([
      "versions upload",
      "d1 time-travel info DB",
      "d1 time-travel info SITES_1",
      "deploy",
      "triggers deploy",
    ])
  })

  test("a missing required secret stops the deployment before any change", async () => {
    setAccount({ secrets: ["APP_KEY"] })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain('Missing secrets. Run "npx wrangler secret put OPERATOR_TOKEN".')
    expect(listChanges()).toEqual([])
  })

  test.each([
    ["whoami", "Not logged in", []],
    ["secret list", "Could not list the secrets", []],
    ["d1 execute", "Could not query DB", []],
    ["deploy --dry-run", "Could not build the Worker", []],
    ["versions upload", "The upload failed. Nothing was changed", ["versions upload"]],
    [
      "d1 time-travel info SITES_1",
      "Could not get a bookmark of SITES_1",
      ["versions upload", "d1 time-travel info DB", "d1 time-travel info SITES_1"],
    ],
    [
      "d1 migrations apply",
      "Could not migrate SITES_1",
      ["versions upload", "d1 time-travel info DB", "d1 time-travel info SITES_1", "d1 migrations apply SITES_1"],
    ],
  ])("a failure of %s leaves the serving version unchanged", async (command, words, expected) => {
    setAccount({ applied: { DB: files.DB, SITES_1: [] }, failures: { [command]: "boom" } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain(words)
    expect(listChanges()).toEqual(expected)
    expect(account.deployment).toEqual(at("version-1", 100))
  })

  test.each(["versions deploy", "triggers deploy"])("a failure of %s prints rollback instructions", async (command) => {
    setAccount({ failures: { [command]: "boom" } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("boom")
    expect(output).toContain("npx wrangler rollback version-1 --yes")
  })

  test("a version whose session reads hang gets no traffic, and late deliveries do not stop it", async () => {
    setAccount()
    const lateParts = { session_reads: "late" }
    health.getProblem = (version) => ({ status: 503, body: { status: "error", version, checks: lateParts } })
    const refused = await deploy()
    expect(refused.status).toBe(1)
    expect(refused.output).toContain("late: session_reads")
    expect(account).toMatchObject({ deployment: at("version-1", 100) })
    health.getProblem = (version) => ({
      status: 503,
      body: { status: "error", version, checks: { deliveries: "late" } },
    })
    const { status, output } = await deploy()
    expect(output).toContain("is healthy")
    expect(status).toBe(0)
  })

  test("a version that is unhealthy without traffic gets none", async () => {
    setAccount()
    health.getProblem = (version) =>
      version === "version-2" ? { status: 503, body: { status: "error", message: "No answer from DB." } } : null
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("No answer from DB.")
    expect(output).toContain("All requests go to the previous version version-1 again.")
    expect(output).toContain("npx wrangler rollback version-1 --yes")
    expect(listChanges().slice(-2)).toEqual([
      "versions deploy version-2@0% version-1@100%",
      "versions deploy version-1@100%",
    ])
    expect(account).toMatchObject({ deployment: at("version-1", 100), published: false })
  })

  test("a deployment fails while another version answers", async () => {
    setAccount()
    health.getProblem = () => ({ status: 200, body: { status: "ok", version: "version-1" } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("version version-1 is serving, not version-2")
    expect(account.deployment).toEqual(at("version-1", 100))
  })

  test("secrets of a file are uploaded to an existing Worker, also with code that already serves", async () => {
    setAccount()
    await deploy()
    const secrets = join(directory, "secrets.env")
    writeFileSync(secrets, "STRIPE_SECRET_KEY=sk_test\n")
    expect((await deploy(`--secrets-file=${secrets}`)).status).toBe(0)
    expect(account.deployment).toEqual(at("version-3", 100))
    const uploads = listCalls().filter((line) => line.startsWith("versions upload"))
    expect(uploads.map((line) => line.includes(`--secrets-file ${secrets}`))).toEqual([false, true])
  })

  test("the rollback instructions say that old secrets return", async () => {
    setAccount()
    expect((await deploy()).output).toContain("This also brings back the secrets of that version.")
  })

  test("an unreachable platform gets its routes before the health check", async () => {
    setAccount()
    health.getProblem = () => (account.published ? null : { status: 522, body: {} })
    const { status, output } = await deploy()
    expect(output).toContain("No version answers on the central domain; publishing the routes")
    expect(status).toBe(0)
    expect(listChanges().slice(-4)).toEqual([
      "triggers deploy",
      "versions deploy version-2@0% version-1@100%",
      "versions deploy version-2@100%",
      "triggers deploy",
    ])
  })
})

describe("the triggers", { timeout: 60_000 }, () => {
  const queue = (queue_name: string, ...scripts: string[]) => ({
    queue_name,
    consumers: scripts.map((script) => ({ script })),
  })

  test("are published by the next deployment after a failure", async () => {
    setAccount({ failures: { "triggers deploy": "boom" } })
    expect((await deploy()).status).toBe(1)
    Object.assign(account, { failures: {} })
    const { status, output } = await deploy()
    expect(output).toContain("Nothing to deploy")
    expect(status).toBe(0)
    expect(account.published).toBe(true)
  })

  test("do not include consumers that wrangler.toml no longer has", async () => {
    setAccount({
      queues: [queue("tenancy-jobs", "tenancy"), queue("tenancy-old", "tenancy"), queue("other", "another-worker")],
    })
    const { status, output } = await deploy()
    expect(output).toContain("wrangler.toml no longer has consumers of tenancy-old; they will be removed.")
    expect(status).toBe(0)
    expect(listChanges().at(-1)).toBe("queues consumer remove tenancy-old tenancy")
    const consumers = account.queues.map(({ queue_name, consumers: { length } }) => [queue_name, length])
    expect(consumers).toEqual([
      ["tenancy-jobs", 1],
      ["tenancy-old", 0],
      ["other", 1],
    ])
  })

  test.each([
    ["a queue has two of them", [queue("tenancy-old", "tenancy", "tenancy")], "tenancy-old has 2 consumers"],
    [
      "one belongs to another environment",
      [{ queue_name: "tenancy-old", consumers: [{ script: "tenancy", environment: "staging" }] }],
      "belongs to the environment staging",
    ],
  ])("are refused before any change when %s", async (_, queues, words) => {
    setAccount({ queues })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain(words)
    expect(listChanges()).toEqual([])
  })

  test("are refused when wrangler.toml sends to a queue without a consumer", async () => {
    setAccount({ queues: [queue("tenancy-push", "tenancy")] })
    const toml = join(directory, "wrangler.toml")
    const text = readFileSync(toml, "utf8")
    const block = /\[\[queues\.consumers\]\]\nqueue = "tenancy-push"\n(?:[a-z_]+ = .*\n)+/
    expect(text).toMatch(block)
    writeFileSync(toml, text.replace(block, ""))
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("wrangler.toml still sends messages to tenancy-push")
    expect(listChanges()).toEqual([])
  })
})

describe("bookmarks", { timeout: 60_000 }, () => {
  const bookmarks = [
    { binding: "DB", bookmark: "bookmark-of-DB" },
    { binding: "SITES_1", bookmark: "bookmark-of-SITES_1" },
  ]

  test("of each deployment are stored in R2 for 30 days and listed by --bookmarks", async () => {
    const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()
    const saved = (at: string) => ({ at, version: `version-at-${at}`, bookmarks })
    const [old, recent] = [saved(days(31)), saved(days(29))]
    setAccount({ bookmarks: [old, recent] })
    await deploy()
    expect(account.bookmarks).toEqual([recent, { at: expect.any(String), version: "version-1", bookmarks }])
    const { output } = await deploy("--bookmarks")
    expect(output).toContain("before the deployment that replaced version-1")
    expect(output).toContain("npx wrangler d1 time-travel restore SITES_1 --bookmark=bookmark-of-SITES_1")
  })

  test.each(["r2 object get", "r2 object put"])("that cannot be stored stop the deployment: %s", async (command) => {
    setAccount({ applied: { DB: files.DB, SITES_1: [] }, failures: { [command]: "no permission" } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("no permission")
    expect(account).toMatchObject({ deployment: at("version-1", 100), applied: { SITES_1: [] } })
  })
})

describe("restore:check", { timeout: 60_000 }, () => {
  const daysAgo = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()

  test("lists bookmarks, losses and commands, and changes nothing", async () => {
    setAccount()
    const { status, output } = await runOperator("restore:check", daysAgo(8))
    expect(status).toBe(0)
    expect(output).toContain("within Time Travel's 30 days of the Workers Paid plan, but not within the 7 days")
    expect(output).toContain("DB: bookmark bookmark-of-DB.")
    expect(output).toContain("3 stores created")
    expect(output).toContain("3 users registered")
    expect(output).toContain("npx wrangler d1 time-travel restore SITES_1 --bookmark=bookmark-of-SITES_1")
    expect(listCalls().every((line) => /^whoami|^d1 (time-travel info|execute)/.test(line))).toBe(true)
  })

  test.each([
    [daysAgo(31), "Time Travel goes back 30 days"],
    [daysAgo(-1), "must be a past time"],
    ["yesterday", "must be a past time"],
  ])("refuses a time that cannot be restored: %s", async (time, words) => {
    setAccount()
    const { status, output } = await runOperator("restore:check", time)
    expect(status).toBe(2)
    expect(output).toContain(words)
    expect(listCalls()).toEqual([])
  })
})

describe("a destructive migration", { timeout: 60_000 }, () => {
  test("a destructive migration is rejected without --contract", async () => {
    const at = files.SITES_1.indexOf("0009_apps_stand_with_the_store.sql")
    setAccount({ applied: { DB: files.DB, SITES_1: files.SITES_1.slice(0, at) } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("SITES_1, 0009_apps_stand_with_the_store.sql is destructive: DROP TABLE enabled_apps.")
    expect(listChanges()).toEqual([])
    expect((await deploy("--contract")).status).toBe(0)
    expect(account.applied.SITES_1).toEqual(files.SITES_1)
  })

  test("a destructive migration runs on a new database", async () => {
    setAccount({ applied: { DB: [], SITES_1: [] } })
    expect((await deploy()).status).toBe(0)
  })
})

describe("a check", { timeout: 60_000 }, () => {
  /** The account after a complete deployment. */
  const published = () => {
    const { queues, triggers } = readWranglerConfig()
    return {
      queues: queues.consumers.map((consumer) => ({
        queue_name: consumer.queue,
        settings: { message_retention_period: 1_209_600 },
        consumers: [
          {
            script: "tenancy",
            dead_letter_queue: consumer.dead_letter_queue ?? "",
            settings: {
              batch_size: consumer.max_batch_size ?? 10,
              max_retries: consumer.max_retries ?? 3,
              max_wait_time_ms: (consumer.max_batch_timeout ?? 5) * 1000,
              max_concurrency: consumer.max_concurrency ?? 0,
              retry_delay: consumer.retry_delay ?? 0,
            },
          },
        ],
      })),
      api: {
        "/accounts/account-1/workers/scripts/tenancy/schedules": {
          schedules: triggers.crons.map((cron) => ({ cron })),
        },
        "/accounts/account-1/alerting/v3/policies": [{ alert_type: "billing_usage_alert", enabled: true }],
        "/zones?name=shops.test": [{ id: "zone-1", status: "active" }],
        "/zones/zone-1/workers/routes": [{ pattern: "*/*", script: "tenancy" }],
        "/zones/zone-1/custom_hostnames/fallback_origin": { origin: "other.shops.test", status: "active" },
        "/ips": { ipv4_cidrs: ["104.16.0.0/13"], ipv6_cidrs: ["2606:4700::/32"] },
      },
    }
  }
  const listMissing = (output: string) =>
    output.split("\n").filter((line) => line.startsWith("missing") && !line.includes("DNS"))

  test("--check finds only DNS and a plan missing after a deployment, and changes nothing", async () => {
    setAccount(published())
    const { output } = await deploy("--check")
    expect(output).toMatch(/^ok {7}wrangler\.toml$/m)
    expect(listMissing(output)).toEqual(["missing  a first plan: create one at /console/plans"])
    expect(output).not.toContain("unknown")
    expect(listChanges()).toEqual([])
  })

  test("--check finds published triggers that differ from wrangler.toml", async () => {
    const { queues, api } = published()
    const [webhooks, ...others] = queues
    const [consumer] = webhooks?.consumers ?? []
    if (!webhooks || !consumer) throw new Error("no queue")
    const toml = join(directory, "wrangler.toml")
    writeFileSync(
      toml,
      readFileSync(toml, "utf8").replace('TENANCY_CNAME_HOST = ""', 'TENANCY_CNAME_HOST = "customers.shops.test"'),
    )
    setAccount({
      queues: [
        { ...webhooks, consumers: [{ ...consumer, settings: { ...consumer.settings, max_concurrency: 1 } }] },
        ...others.slice(1),
        { queue_name: "tenancy-old", consumers: [{ script: "tenancy" }] },
      ],
      api: {
        ...api,
        "/accounts/account-1/workers/scripts/tenancy/schedules": { schedules: [{ cron: "* * * * *" }] },
        "/zones/zone-1/workers/routes": [{ pattern: "*/*", script: "another-worker" }],
        "/accounts/account-1/alerting/v3/policies": [],
      },
    })
    const missing = listMissing((await deploy("--check")).output).join("\n")
    for (const words of [
      `consumer of ${webhooks.queue_name} with the settings`,
      `consumer of ${others[0]?.queue_name} with the settings`,
      "removal of the consumer of tenancy-old",
      "published cron triggers",
      "route */*",
      "fallback origin customers.shops.test (now other.shops.test, active)",
      "a budget or usage alert",
    ]) {
      expect.soft(missing).toContain(words)
    }
  })

  test("--check reports what the login may not read as unknown", async () => {
    setAccount()
    const { output } = await deploy("--check")
    expect(output).toContain("unknown  published cron triggers: GET /client/v4/accounts/account-1")
  })

  test("only addresses of Cloudflare are proxied", () => {
    const ranges = ["104.16.0.0/13", "2606:4700::/32"]
    expect(areProxied(["104.17.1.1", "2606:4700::1"], ranges)).toBe(true)
    expect(areProxied(["104.17.1.1", "100::"], ranges)).toBe(false)
    expect(areProxied(["192.0.2.1"], ranges)).toBe(false)
    expect(areProxied([], ranges)).toBe(false)
  })

  test("--check lists each missing resource with the command that creates it", async () => {
    setAccount({
      secrets: ["APP_KEY"],
      replication: "disabled",
      applied: omitLast(1),
      failures: { "queues info tenancy-jobs": "no", "r2 bucket info tenancy-media": "no", "email sending": "no" },
    })
    const { status, output } = await deploy("--check")
    expect(status).toBe(1)
    for (const line of [
      "missing  queue tenancy-jobs: npx wrangler queues create tenancy-jobs",
      "missing  bucket tenancy-media: npx wrangler r2 bucket create tenancy-media",
      "missing  secret OPERATOR_TOKEN: npx wrangler secret put OPERATOR_TOKEN",
      "missing  mail from shops.test: npx wrangler email sending enable shops.test",
      `missing  migrations of DB: npm run deploy applies ${files.DB.at(-1)}`,
    ]) {
      expect.soft(output).toContain(line)
    }
    expect(output).toContain("missing  read replication of DB")
    expect(output).toContain("ok       queue tenancy-webhooks")
  })

  test("--check only checks wrangler.toml without a login", async () => {
    setAccount({ failures: { whoami: "no" } })
    const toml = join(directory, "wrangler.toml")
    writeFileSync(
      toml,
      readFileSync(toml, "utf8")
        .replace('CENTRAL_DOMAIN = "127.0.0.1"', 'CENTRAL_DOMAIN = "localhost"')
        .replace("no-reply@shops.test", "no-reply@example.com")
        .replaceAll("12345678-0000-0000-0000-", "00000000-0000-0000-0000-")
        .replace(/^routes.*$/m, "")
        .replace('TENANCY_WEBHOOK_TIMEOUT = "10"', 'TENANCY_WEBHOOK_TIMEOUT = "40"')
        .replaceAll('"tenancy-dead"', '"tenancy-failed"'),
    )
    const { status, output } = await deploy("--check")
    expect(status).toBe(1)
    for (const words of [
      `Checking ${relative(process.cwd(), toml)}. Add --config=${relative(process.cwd(), toml)} to the commands below.`,
      'DB has no real database_id. Run "npx wrangler d1 create tenancy --location=<near your users>" and copy the id to',
      "SITES_1 has no real database_id",
      "CENTRAL_DOMAIN is localhost",
      "MAIL_FROM is no-reply@example.com",
      "No routes are configured",
      "The dead letter queue tenancy-failed needs a name that ends in -dead",
      "TENANCY_WEBHOOK_TIMEOUT must be 1 to 25 seconds",
      "the account was not checked",
    ]) {
      expect.soft(output).toContain(words)
    }
    expect(listCalls()).toEqual([`whoami --json --config ${toml}`])
  })
})

test("the staging platform of docs/operations/deployment.md shares no resource with this one", () => {
  const production = readFileSync(join(root, "wrangler.toml"), "utf8").replaceAll("00000000-", "12345678-")
  const [, first = "", second = ""] =
    /sed -e '([^']+)' -e '([^']+)' \\\n {2}wrangler.toml/.exec(
      readFileSync(join(root, "docs/operations/deployment.md"), "utf8"),
    ) ?? []
  const file = join(directory, "wrangler.staging.toml")
  const { stdout } = spawnSync("sed", ["-e", first, "-e", second], { input: production, encoding: "utf8" })
  writeFileSync(file, stdout)
  const namesOf = ({ name, d1_databases, queues, r2_buckets }: ReturnType<typeof readWranglerConfig>) => [
    name,
    ...d1_databases.map(({ database_name }) => database_name),
    ...[...queues.producers, ...queues.consumers].map(({ queue }) => queue),
    ...r2_buckets.map(({ bucket_name }) => bucket_name),
  ]
  const staging = namesOf(readWranglerConfig(file))
  expect(readWranglerConfig(file).d1_databases.map(({ database_id }) => database_id)).not.toContainEqual(
    expect.stringMatching(/[1-9a-f]/),
  )
  expect(staging).toEqual(namesOf(readWranglerConfig()).map((name) => name.replace("tenancy", "tenancy-staging")))
})

test("docs/operations/deployment.md creates every resource that wrangler.toml names", () => {
  const guide = readFileSync(join(root, "docs/operations/deployment.md"), "utf8")
  const { d1_databases, queues, r2_buckets } = readWranglerConfig()
  const names = [
    ...d1_databases.map(({ database_name }) => `d1 create ${database_name} `),
    ...[...queues.producers, ...queues.consumers].map(({ queue }) => queue),
    ...r2_buckets.map(({ bucket_name }) => bucket_name),
  ]
  const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text).join("")
  for (const name of names) expect.soft(commands).toContain(name)
})
