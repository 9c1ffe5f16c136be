// Chooses the directory for temporary data: in memory if possible, because fsync dominates on a disk.
import { statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const MEMORY_DIRECTORY = "/dev/shm"
const MIN_FREE_BYTES = 2 ** 30

/** Returns the parent of temporary directories: /dev/shm with at least one gigabyte free, else the system's default. */
export function getScratchDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DIRECTORY)
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_DIRECTORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
