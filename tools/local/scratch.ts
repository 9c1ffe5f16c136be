// Where short-lived data goes: into memory where the machine has room for it, since a disk's fsync is most of its time.
import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const MEMORY = "/dev/shm"
const ENOUGH_BYTES = 2 ** 30

/** The directory to make temporary directories in: /dev/shm where it has a gigabyte to spare, else the system's own. */
export function scratchDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
