// Runs test files in a random order, the slowest first: one that starts last leaves the other cores idle.
import { createHash } from "node:crypto"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take more than 30 s. */
const SLOW =
  /\/(faults|site-migration-faults|restore|input-cost|input-bombs|bounds|deliveries|operator|interrupted)\.test/

export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence
    const getPosition = ({ moduleId }: TestSpecification) =>
      `${SLOW.test(moduleId) ? 0 : 1} ${createHash("sha1").update(`${seed} ${moduleId}`).digest("hex")}`
    return files
      .map((file) => ({ file, position: getPosition(file) }))
      .sort((a, b) => (a.position < b.position ? -1 : 1))
      .map(({ file }) => file)
  }
}
