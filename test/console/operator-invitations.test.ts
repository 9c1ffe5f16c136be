// Invitations of operators: mailed links that work once, for 72 hours, and their list.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { call, consume, sendOperatorCommand } from "../support/app"
import { recordMails } from "../support/content-factories"
import { rows } from "../support/rows"
import { type Browser, makeOperator, PASSWORD, postForm, signIn } from "./support"

const INVITED = "Grace@example.com"

type Mails = ReturnType<typeof recordMails>

/** Records mails, and runs the outbox as soon as it is enqueued. */
function captureMails(): Mails {
  vi.mocked(env.JOB_QUEUE.send).mockImplementation(async (message) => {
    if ("job" in message && message.job === "mails") await consume("tenancy-jobs", [message])
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  })
  return recordMails()
}

const linkOf = (mail: Mails[number] | undefined): URL =>
  new URL(/https?:\/\/\S+\/console\/invitation\?\S+/.exec(mail?.text ?? "")?.[0] ?? "http://none.invalid")

const tokenOf = (mail: Mails[number] | undefined): string => linkOf(mail).searchParams.get("token") ?? ""

const invite = (admin: Browser, fields: Record<string, string> = {}) =>
  admin.post("/console/operators/invite", { email: INVITED, role: "support", ...fields })

const accept = (token: string, fields: Record<string, string> = {}) =>
  postForm("/console/invitation", { token, name: "Grace Hopper", password: PASSWORD, ...fields })

const invitationId = async () => (await rows("select id from operator_invitations"))[0]?.id

test("mails a link with which the invited person chooses a name and a password, once", async () => {
  const mails = captureMails()
  const admin = await signIn()
  expect((await invite(admin)).headers.get("Location")).toBe("/console/operators?done=operator_invited")
  expect(mails.at(-1)).toMatchObject({ to: "grace@example.com" })
  expect((await admin.get("/console/operators")).text).toContain("grace@example.com")
  const { pathname, search } = linkOf(mails.at(-1))
  const page = await call("GET", pathname + search)
  expect([page.status, page.text.includes("grace@example.com"), page.text.includes("Support")]).toEqual([
    200,
    true,
    true,
  ])
  expect(page.headers.get("Cache-Control")).toBe("no-store")
  const token = tokenOf(mails.at(-1))
  const short = await accept(token, { password: "only-eleven" })
  expect([short.status, short.text.includes('value="Grace Hopper"')]).toEqual([422, true])
  const common = await accept(token, { password: "1q2w3e4r5t6y" })
  expect([common.status, common.text.includes("This password is too common.")]).toEqual([422, true])
  const results = await Promise.all([accept(token), accept(token)])
  expect(results.map(({ status }) => status).sort()).toEqual([303, 422])
  expect((await accept(token)).status).toBe(422)
  const signed = await postForm("/console/login", { email: INVITED, password: PASSWORD })
  expect(signed.status).toBe(303)
  expect(await rows("select email, name, role from operators where name <> 'Ada'")).toEqual([
    { email: "grace@example.com", name: "Grace Hopper", role: "support" },
  ])
  expect(await rows("select * from operator_invitations")).toEqual([])
  const log = await rows("select type, actor_name from audit_entries where type like 'operator%' order by id")
  expect(log.slice(-2)).toEqual([
    { type: "operator_invitation_created", actor_name: "Ada" },
    { type: "operator_created", actor_name: "system" },
  ])
  const stored = JSON.stringify(await rows("select data from mails"))
  expect(stored).not.toContain(token.split(".")[1])
})

test("ends earlier links when the invitation is sent again, repeated or withdrawn, and after 72 hours", async () => {
  const mails = captureMails()
  const admin = await signIn()
  await invite(admin)
  await env.DB.exec("update operator_invitations set expires_at = expires_at - 1000")
  expect((await admin.post(`/console/operators/invitations/${await invitationId()}/resend`)).status).toBe(303)
  expect(mails).toHaveLength(2)
  expect((await call("GET", `/console/invitation?token=${tokenOf(mails[0])}`)).status).toBe(422)
  expect((await call("GET", `/console/invitation?token=${tokenOf(mails[1])}`)).status).toBe(200)
  await env.DB.exec("update operator_invitations set expires_at = expires_at - 1000")
  await invite(admin, { role: "viewer" })
  expect(await rows("select role from operator_invitations")).toEqual([{ role: "viewer" }])
  expect((await accept(tokenOf(mails[1]))).status).toBe(422)
  const token = tokenOf(mails.at(-1))
  const withdrawn = await admin.confirm(`/console/operators/invitations/${await invitationId()}/delete`)
  expect(withdrawn.status).toBe(303)
  expect((await accept(token)).status).toBe(422)
  const gone = await admin.post("/console/operators/invitations/1/resend")
  expect(gone.status).toBe(404)
  await invite(admin)
  await env.DB.exec("update operator_invitations set expires_at = 1")
  expect((await accept(tokenOf(mails.at(-1)))).status).toBe(422)
  expect((await admin.get("/console/operators")).text).not.toContain("grace@example.com")
  const types = await rows("select type from audit_entries where type like 'operator_invitation%' order by id")
  expect(types.map(({ type }) => type)).toEqual([
    "operator_invitation_created",
    "operator_invitation_resent",
    "operator_invitation_created",
    "operator_invitation_withdrawn",
    "operator_invitation_created",
  ])
})

test("refuses forged links, addresses of operators, other roles, and more than 30 invitations an hour", async () => {
  const mails = captureMails()
  const admin = await signIn()
  await invite(admin)
  const token = tokenOf(mails.at(-1))
  const [subject = "", proof = ""] = token.split(".")
  const later = subject.replace(/\d$/, (digit) => `${(Number(digit) + 1) % 10}`)
  for (const forged of ["", "1.x", `${later}.${proof}`, `${subject}.${"0".repeat(32)}`])
    expect([(await call("GET", `/console/invitation?token=${forged}`)).status, (await accept(forged)).status]).toEqual([
      422, 422,
    ])
  const email = await makeOperator()
  const taken = await invite(admin, { email: email.toUpperCase() })
  expect([taken.status, taken.text.includes("already")]).toEqual([422, true])
  for (const role of ["support", "finance", "viewer"] as const)
    expect((await invite(await signIn({ role }))).status).toBe(403)
  for (let n = 0; n < 28; n++) expect((await invite(admin)).status).toBe(303)
  expect((await invite(admin)).status).toBe(429)
  expect((await invite(await signIn())).status).toBe(303)
})

test("refuses the link once its address belongs to an operator", async () => {
  const mails = captureMails()
  await invite(await signIn())
  await makeOperator({ email: "grace@example.com" })
  expect((await accept(tokenOf(mails.at(-1)))).status).toBe(422)
})

test("invites, lists, sends again and withdraws by commands", async () => {
  const mails = captureMails()
  const invited = await sendOperatorCommand("operators:invite", { email: INVITED, role: "finance" })
  expect(invited.body.data).toMatchObject({ email: "grace@example.com", role: "finance" })
  expect((await sendOperatorCommand("operators:invitations")).body.data).toEqual([invited.body.data])
  const { id } = invited.body.data
  expect((await sendOperatorCommand("operators:resend-invitation", { id })).status).toBe(200)
  expect(mails).toHaveLength(2)
  expect((await sendOperatorCommand("operators:withdraw-invitation", { id })).body.data).toEqual({
    id,
    withdrawn: true,
  })
  expect((await sendOperatorCommand("operators:withdraw-invitation", { id })).status).toBe(404)
})
