// Seeds the central site's content API: an API key, a server token, users with devices, and notifications.
import type { ApiError } from "../lib/api.ts"
import { renderPicture } from "./picture.ts"
import { ignoreIfDone, type Section, type Seeder } from "./seeder.ts"

const user = { name: "Maya Okafor", email: "maya@example.com" }

/** Devices of the users; a user with a device has an inbox. The last device has no user. */
const otherUsers = [
  { name: "Jonas Weber", email: "jonas@example.com" },
  { name: "Lucía Prieto", email: "lucia@example.com" },
]
const phones = [
  { of: user.email, platform: "ios", device_id: "maya-phone", app_version: "2.4.0" },
  { of: user.email, platform: "android", device_id: "maya-tablet", app_version: "2.3.1" },
  { of: "jonas@example.com", platform: "android", device_id: "jonas-phone", app_version: "2.4.0" },
  { of: "lucia@example.com", platform: "ios", device_id: "lucia-phone", app_version: "2.4.0" },
  { of: null, platform: "ios", device_id: "kiosk", app_version: "2.2.0" },
]
const serverToken = { site: "central", name: "Demo token, internal", type: "internal" }
const welcome = {
  title: "Welcome",
  message: "This is your inbox. Messages from the platform arrive here.",
  target: "customers",
  type: "system",
}

const notifications = [
  welcome,
  {
    title: "New invoices",
    message: "Receipts can be downloaded from your billing page.",
    target: "all",
    type: "general",
  },
  {
    title: "Maintenance on Sunday",
    message: "Pages may load slowly for ten minutes on Sunday.",
    target: "all",
    type: "system",
    at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
  },
]

/** Creates the keys, the users with their devices and, on the first run, the notifications. */
export const seedAccounts: Section = async (seeder) => {
  const password = seeder.password(user.email)
  const emailTaken = ({ fields }: ApiError) => Object.keys(fields).join() === "email"
  const registered = register(seeder, user).then(async () => {
    await Promise.all(otherUsers.map((other) => register(seeder, other)))
    await Promise.all(phones.map((phone) => registerPhone(seeder, phone)))
    for (const notification of notifications) await seeder.operator("api:send-notification", notification)
  })
  await ignoreIfDone(emailTaken, registered)
  const { key } = await seeder.operator<{ key: string }>("site:api-key", { site: "central" })
  await uploadPictures(seeder, key)
  return {
    content: { api_key: key, internal_key: await createFreshToken(seeder), user: { email: user.email, password } },
  }
}

const register = (seeder: Seeder, person: { name: string; email: string }) => {
  const password = seeder.password(person.email)
  return seeder.content("POST", "/register", { ...person, password, password_confirmation: password })
}

/** Registers a device as an app does, logged in as its owner. */
async function registerPhone(seeder: Seeder, { of, ...device }: (typeof phones)[number]): Promise<void> {
  const session = of
    ? await seeder.content<{ token: string }>("POST", "/login", { email: of, password: seeder.password(of) })
    : null
  await seeder.content("POST", "/device-tokens", { ...device, token: `demo-${device.device_id}` }, session?.token)
}

/** Uploads files to the media library. An interrupted run may leave duplicates. */
async function uploadPictures(seeder: Seeder, key: string): Promise<void> {
  const folder = await seeder.asClient<{ id?: number }>(key, "/api/v1/media/folders", { name: "Press" })
  for (const [name, hue] of [
    ["sunrise", 20],
    ["meadow", 110],
    ["harbour", 205],
  ] as const) {
    const form = new FormData()
    form.set("file", new Blob([renderPicture(hue)], { type: "image/png" }), `${name}.png`)
    if (hue > 100 && folder.id) form.set("folder_id", String(folder.id))
    await seeder.asClient(key, "/api/v1/media/files", form)
  }
}

/** Creates a server token, and revokes earlier ones, whose plain text an interrupted run lost. */
async function createFreshToken(seeder: Seeder): Promise<string> {
  const { site, name } = serverToken
  const tokens = await seeder.operator<{ id: number; name: string }[]>("site-tokens:list", { site })
  for (const token of tokens) {
    if (token.name === name) await seeder.operator("site-tokens:revoke", { site, id: token.id })
  }
  return (await seeder.operator<{ token: string }>("site-tokens:create", serverToken)).token
}
