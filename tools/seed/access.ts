// Seeds the demo operators and the control-plane keys.
import type { ApiError } from "../lib/api.ts"
import { ignoreIfDone, type Section, type Seeder } from "./seeder.ts"

/** The operator of the demo console. */
export const operator = { email: "operator@example.com", name: "Olivia Operator" }
const viewer = { email: "viewer@example.com", name: "Vera Viewer", role: "viewer" }
const reportingKey = { name: "Monthly report", scopes: "read" }
const writeKey = { name: "Demo key, read and write", scopes: "read,write" }
const readKey = { name: "Demo key, read only", scopes: "read" }

const DAY_MS = 86_400_000

/** Creates the operators and the keys. */
export const seedAccess: Section = async (seeder) => {
  const password = seeder.password(operator.email)
  const emailTaken = ({ fields }: ApiError) => Object.keys(fields).join() === "email"
  await ignoreIfDone(emailTaken, seeder.operator("operators:create", { ...operator, password }))
  await ignoreIfDone(
    emailTaken,
    seeder.operator("operators:create", { ...viewer, password: seeder.password(viewer.email) }),
  )
  await createFreshKey(seeder, {
    ...reportingKey,
    expires: new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 10),
  })
  return {
    operator: { email: operator.email, password },
    platform: { write_key: await createFreshKey(seeder, writeKey), read_key: await createFreshKey(seeder, readKey) },
  }
}

/**
 * Creates a key, and revokes earlier keys of that name, whose plain text an interrupted run lost.
 * @returns the key in plain text
 */
export async function createFreshKey(
  seeder: Pick<Seeder, "operator">,
  key: { name: string; scopes: string; expires?: string },
): Promise<string> {
  await revokeKeys(seeder, key.name)
  return (await seeder.operator<{ key: string }>("keys:create", key)).key
}

/** Revokes every usable key of that name. */
export async function revokeKeys(seeder: Pick<Seeder, "operator">, name: string): Promise<void> {
  const keys = await seeder.operator<{ id: number; name: string; revoked_at: string | null }[]>("keys:list")
  for (const key of keys) {
    if (key.name === name && !key.revoked_at) await seeder.operator("keys:revoke", { id: key.id })
  }
}
