// Reads and verifies the manifest of a backup.
import type { Ctx } from "../../core/context"
import { backupStore } from "../../core/storage/backups"
import type { StoreBackup } from "../../db/schema/central/backups"
import { sha256 } from "../../lib/hash"
import { CorruptBackup } from "./blobs"
import { FORMAT_VERSION, type Manifest, manifestKey } from "./manifest"

/** @throws CorruptBackup when it is missing, changed, or of another format */
export async function readManifest(ctx: Ctx, backup: StoreBackup): Promise<Manifest> {
  const object = await backupStore(ctx.env).get(manifestKey(backup, backup.manifestHash ?? ""))
  if (!object) throw new CorruptBackup("the manifest is missing")
  const bytes = new Uint8Array(await object.arrayBuffer())
  if ((await sha256(bytes)) !== backup.manifestHash) throw new CorruptBackup("the manifest is corrupt")
  const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Manifest
  if (manifest.format !== FORMAT_VERSION)
    throw new CorruptBackup(`the backup has format ${manifest.format}, and this version reads format ${FORMAT_VERSION}`)
  return manifest
}
