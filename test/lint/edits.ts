// Additions that are incomplete on purpose: a field, a column or a member of a union, added at its declaration only.
// The compiler rejects every place that does not handle it yet; edits.test.ts proves it.

/** A member that is added at its declaration only. */
interface Edit {
  /** The added name; part of the errors. */
  name: string
  /** The file that declares it. */
  file: string
  /** Text before which the addition is inserted. */
  before: string
  addition: string
  /** The files that no longer compile. */
  incomplete: readonly string[]
}

/** A rule of CONTRIBUTING's table that edits break. */
export interface EditRule {
  rule: string
  edits: Edit[]
}

export const EDIT_RULES: EditRule[] = [
  {
    rule: "every place that lists the fields of an input, a resource or a table handles a new one",
    edits: [
      {
        name: "slogan_to_create",
        file: "src/platform/stores/schemas.ts",
        before: "    trial_days: z.int()",
        addition: "    slogan_to_create: z.string().nullish(),\n",
        incomplete: [
          "src/platform/stores/create.ts",
          "src/platform/stores/schemas.docs.ts",
          "src/console/pages/stores.tsx",
        ],
      },
      {
        name: "slogan_to_update",
        file: "src/platform/stores/schemas.ts",
        before: "  theme: shortText(63).min(1).optional(),\n})",
        addition: "  slogan_to_update: z.string().optional(),\n",
        incomplete: [
          "src/platform/stores/update.ts",
          "src/platform/stores/schemas.docs.ts",
          "src/console/pages/store/page.tsx",
          "tools/openapi/events/stores.ts",
        ],
      },
      {
        name: "slogan_to_show",
        file: "src/platform/stores/schemas.ts",
        before: "  id: z.string(),\n  name: z.string(),\n  status: z.enum(STORE_STATUSES),",
        addition: "  slogan_to_show: z.string(),\n",
        incomplete: [
          "src/platform/stores/schemas.ts",
          "src/platform/stores/schemas.docs.ts",
          "src/webhooks/examples.ts",
          "src/console/pages/stores.tsx",
          "src/console/pages/store/page.tsx",
        ],
      },
      {
        name: "storedSlogan",
        file: "src/db/schema/central/stores.ts",
        before: `    theme: text("theme").notNull(),`,
        addition: `    storedSlogan: text("stored_slogan").notNull(),\n`,
        incomplete: ["src/platform/stores/queries.ts", "src/platform/stores/create.ts"],
      },
      {
        name: "endpoint_slogan",
        file: "src/webhooks/endpoints/schemas.ts",
        before: "    is_active: z.boolean().optional(),",
        addition: "    endpoint_slogan: z.string().optional(),\n",
        incomplete: [
          "src/webhooks/endpoints/service.ts",
          "src/webhooks/endpoints/schemas.docs.ts",
          "src/console/pages/webhook-endpoint.tsx",
        ],
      },
      {
        name: "plan_slogan",
        file: "src/platform/plans/schemas.ts",
        before: "  slug: shortText(63).regex(",
        addition: "  plan_slogan: z.string().optional(),\n",
        incomplete: ["src/platform/plans/service.ts", "src/console/pages/plans.tsx"],
      },
    ],
  },
  {
    rule: "every switch over a union, and every table of its members, handles a new one",
    edits: [
      {
        name: "store.renamed",
        file: "src/core/write/event-types.ts",
        before: `  "store.deleted",`,
        addition: `  "store.renamed",\n`,
        incomplete: ["src/core/write/event-payloads.ts", "src/webhooks/examples.ts", "tools/openapi/events/events.ts"],
      },
      {
        name: "tidy",
        file: "src/core/queue/messages.ts",
        before: `  job("move",`,
        addition: `  job("tidy", {}),\n`,
        incomplete: ["src/jobs/queue.ts", "src/core/queue/leased-jobs.ts", "src/core/queue/send.ts"],
      },
      {
        name: "disputed",
        file: "src/platform/payments/message.ts",
        before: `  | { kind: "deleted" }`,
        addition: `  | { kind: "disputed" }\n`,
        incomplete: ["src/platform/payments/projection.ts", "src/platform/payments/references.ts"],
      },
      {
        name: "robot",
        file: "src/core/write/actor.ts",
        before: `  | { type: "customer";`,
        addition: `  | { type: "robot"; id: number; name: string }\n`,
        incomplete: ["src/core/write/actor.ts", "src/platform/stores/create.ts"],
      },
      {
        name: "otherpay",
        file: "src/db/schema/central/billing-providers.ts",
        before: `stripe: "card" }`,
        addition: `otherpay: "card", `,
        incomplete: ["src/platform/payments/providers.ts", "src/console/strings.ts"],
      },
      {
        name: "nothing_left",
        file: "src/core/http/refusal.ts",
        before: `  | "http_error"\n  | "temporarily_unavailable"`,
        addition: `  | "nothing_left"\n`,
        incomplete: ["src/platform/refusal-messages.ts", "src/platform/envelope.ts"],
      },
    ],
  },
]
