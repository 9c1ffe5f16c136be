// Shows what an action will change before it runs. A GET of the form's path shows the state before and after, mails and
// money, and asks for a reason; its form posts the action. A POST without the confirmation of that page, or with one of
// another state, changes nothing and shows the page again.
import type { Context } from "hono"
import type { Child } from "hono/jsx"
import * as z from "zod"
import { type Input, parseInput } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { multilineText } from "../../core/http/validation"
import { renderNow } from "../../page-kit/context"
import { parseFields } from "../../page-kit/fields"
import { Checkbox, Field, Form, TextArea } from "../../page-kit/form"
import { emptyForm, type FormState, restoredForm } from "../../page-kit/form-state"
import { Card, DescriptionList, Note } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { type OwnerMail, sendOwnerMail, withOwnerMail } from "../../platform/stores/owner-mail"
import type { FormRole } from "../form-access"
import { toFormState, withUtcTimes } from "../forms"
import { page } from "../kit/page"
import { W } from "../strings"
import type { ConsoleEnv, Form as FormFields } from "../types"
import { getInputFields, signConfirmation, verifyConfirmation } from "./token"

/** A value before and after the action, as the page shows it; the page leaves out one that stays the same. */
export interface ShownChange {
  label: Child
  before: Child
  after: Child
}

/** The contents of the confirmation page. */
export interface Preview {
  /** A question that names the action and its subject: "Suspend Acme?" */
  title: string
  crumbs?: [label: string, href: string][]
  /** Everything that the page shows and that the action depends on; as JSON, it is part of the confirmation. */
  state: unknown
  /** Describes the subject if the title is not enough. */
  facts?: [name: string, value: Child][]
  changes?: ShownChange[]
  /** The effects on visitors, money and data, and their time. */
  effects: Child[]
  submitLabel: string
  /** Whether the button is red; default true. */
  isHarmful?: boolean
  /** Label of the field in which one of these texts has to be typed. */
  typed?: { label: string; accepts: string[] }
  /** The mail that the page offers to send to the owner; `own` when the action itself sends one if asked. */
  ownerMail?: OwnerMail | "own"
  /** Why a reason is required; by default, it is optional and for the audit log. */
  requiresReason?: string
  /** A choice that is required before the action can be confirmed, with links to the confirmation of each option. */
  question?: { text: string; choices: { label: string; href: string }[] }
  /** A link to an alternative action, which has its own confirmation. */
  alternative?: { label: string; href: string }
  /** The page to return to. */
  back: string
}

/** The operator's input on the confirmation page. */
export interface Confirmed {
  reason: string | null
  notifyOwner: boolean
}

/** An action with a confirmation page. */
export interface Confirmation<Schema extends z.ZodObject> {
  /** The roles that may run it. */
  roles: readonly FormRole[]
  /** The action, if it also asks for a recent password: "suspend a store". */
  password?: string
  /** The action's input. */
  schema: Schema
  /** The parameter of the path that is a field of the input. */
  pathField?: string
  /** Whether an empty field of the input clears its value, as on forms that edit something. */
  isEdit?: boolean
  /** Describes the action. Throws a Refusal when it is not possible. */
  preview: (c: Context<ConsoleEnv>, input: Input<Schema>) => Promise<Preview>
  /** Runs the action; returns the path to redirect to, or a response. */
  run: (c: Context<ConsoleEnv>, input: Input<Schema>, confirmed: Confirmed) => Promise<string | Response>
  /** Renders the page that the action started from, with its refused form. */
  renderForm: (c: Context<ConsoleEnv>, state: FormState) => Promise<Response>
}

const OptionalReason = z.object({ reason: multilineText({ max: 500 }).optional() })
const RequiredReason = z.object({ reason: multilineText({ max: 500 }) })

type Problem = "missing" | "outdated"

/** Handles the GET: shows the confirmation page for the input in the query. */
export const showConfirmation =
  <Schema extends z.ZodObject>(confirmation: Confirmation<Schema>) =>
  async (c: Context<ConsoleEnv>): Promise<Response> => {
    const form = new Map(Object.entries(c.req.queries()))
    const input = getInputFields(form)
    try {
      const preview = await confirmation.preview(c, parse(c, confirmation, form))
      return renderConfirmation(c, form, preview, { ...emptyForm(), values: form })
    } catch (thrown) {
      const state = toFormState(thrown, form)
      if (!state) throw thrown
      // Without any input, the form was not filled in yet.
      return confirmation.renderForm(c, input.size || state.message ? state : emptyForm())
    }
  }

function parse<Schema extends z.ZodObject>(
  c: Context<ConsoleEnv>,
  { schema, isEdit, pathField }: Confirmation<Schema>,
  form: FormFields,
): Input<Schema> {
  const fields = pathField ? new Map([...form, [pathField, [c.req.param(pathField) ?? ""]]]) : form
  return parseInput(schema, parseFields(schema, withUtcTimes(c, fields), isEdit ? "" : undefined))
}

/** Handles the POST: runs the action if the operator has confirmed the current state. */
export const runConfirmed =
  <Schema extends z.ZodObject>(confirmation: Confirmation<Schema>) =>
  async (c: Context<ConsoleEnv>): Promise<Response> => {
    const { form } = c.var
    try {
      const preview = await confirmation.preview(c, parse(c, confirmation, form))
      if (c.var.isRestored) return renderConfirmation(c, form, preview, restoredForm(form))
      const refused = await refuseUnconfirmed(c, preview)
      if (refused) return refused
      const reason = form.get("reason")?.at(-1)?.trim() || null
      const notifyOwner = preview.ownerMail !== undefined && isTicked(form, "tell_owner")
      const { ctx } = c.var
      const reasoned = reason === null ? ctx : { ...ctx, reason }
      const { ownerMail } = preview
      c.set(
        "ctx",
        notifyOwner && ownerMail !== "own" && ownerMail ? withOwnerMail(reasoned, ownerMail, reason) : reasoned,
      )
      const result = await confirmation.run(c, parse(c, confirmation, form), { reason, notifyOwner })
      if (notifyOwner) sendOwnerMail(c.var.ctx)
      return typeof result === "string" ? c.redirect(result, 303) : result
    } catch (thrown) {
      const state = toFormState(thrown, form)
      if (!state) throw thrown
      return confirmation.renderForm(c, state)
    }
  }

const isTicked = (form: FormFields, name: string): boolean => ["true", "on", "1"].includes(form.get(name)?.at(-1) ?? "")

/** Returns the confirmation page with what is missing; null when everything is there. */
async function refuseUnconfirmed(c: Context<ConsoleEnv>, preview: Preview): Promise<Response | null> {
  const { form } = c.var
  const token = form.get("confirmation")?.at(-1)
  if (preview.question) return renderConfirmation(c, form, preview, unsent(form, 422))
  if (token === undefined) return renderConfirmation(c, form, preview, unsent(form, 422), "missing")
  if (!(await verifyConfirmation(c, form, preview.state, token)))
    return renderConfirmation(c, form, preview, unsent(form, 409), "outdated")
  try {
    const schema = preview.requiresReason === undefined ? OptionalReason : RequiredReason
    parseInput(schema, parseFields(schema, form, preview.requiresReason === undefined ? undefined : ""))
    const typed = form.get("confirm")?.at(-1)?.trim().toLowerCase()
    if (preview.typed && !preview.typed.accepts.some((text) => text.toLowerCase() === typed))
      throw new Refusal("confirm_mismatch")
    return null
  } catch (thrown) {
    const state = toFormState(thrown, form)
    if (!state) throw thrown
    return renderConfirmation(c, form, preview, state)
  }
}

const unsent = (values: FormFields, status: 409 | 422): FormState => ({ status, values, errors: {} })

async function renderConfirmation(
  c: Context<ConsoleEnv>,
  form: FormFields,
  preview: Preview,
  state: FormState,
  problem?: Problem,
): Promise<Response> {
  const token = await signConfirmation(c, form, preview.state)
  const { facts, changes, typed } = preview
  return page(c, {
    title: preview.title,
    crumbs: preview.crumbs,
    state,
    children: (
      <>
        {problem && (
          <Note tone="warn" alert>
            <p>{W.confirmation[problem]}</p>
          </Note>
        )}
        <Card>
          {preview.question ? (
            <>
              <p>{preview.question.text}</p>
              <p class="row">
                {preview.question.choices.map(({ label, href }) => (
                  <a class="button" data-quiet href={href}>
                    {label}
                  </a>
                ))}
              </p>
            </>
          ) : (
            <>
              {facts && <DescriptionList items={facts} />}
              {changes && <Changes changes={changes} />}
              {preview.effects.length > 0 && (
                <ul>
                  {preview.effects.map((effect) => (
                    <li>{effect}</li>
                  ))}
                </ul>
              )}
              <Form
                action={c.req.path}
                submitLabel={preview.submitLabel}
                danger={preview.isHarmful ?? true}
                isConfirmation
              >
                {[...getInputFields(form)].flatMap(([name, values]) =>
                  values.map((value) => <input type="hidden" name={name} value={value} />),
                )}
                <input type="hidden" name="confirmation" value={token} />
                <TextArea
                  name="reason"
                  rows={2}
                  maxlength={500}
                  required={preview.requiresReason !== undefined}
                  hint={preview.requiresReason ?? W.confirmation.reason_hint}
                />
                {preview.ownerMail && <Checkbox name="tell_owner" label={W.confirmation.tell_owner} isChecked />}
                {typed && <Field name="confirm" label={typed.label} required />}
              </Form>
            </>
          )}
          {preview.alternative && (
            <p>
              <a href={preview.alternative.href}>{preview.alternative.label}</a>
            </p>
          )}
          <p>
            <a href={preview.back}>{W.confirmation.cancel}</a>
          </p>
        </Card>
      </>
    ),
  })
}

/** The values that change. */
function Changes({ changes }: { changes: ShownChange[] }) {
  const rows = changes
    .map(({ label, before, after }) => ({ label, before: renderNow(before), after: renderNow(after) }))
    .filter(({ before, after }) => before.toString() !== after.toString())
  if (rows.length === 0) return <p>{W.confirmation.unchanged}</p>
  return (
    <div class="changes">
      <Table
        label={W.confirmation.changes}
        rows={rows}
        columns={[
          { head: W.confirmation.value, cell: ({ label }) => label },
          { head: W.confirmation.before, cell: ({ before }) => before },
          { head: W.confirmation.after, cell: ({ after }) => after },
        ]}
      />
    </div>
  )
}
