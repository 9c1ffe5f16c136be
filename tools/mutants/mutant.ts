// Defines a mutant: a change of the code that breaks a rule, a guard or a limit, so that a test has to fail.

/** A change of one file, and the tests that have to notice it. */
export interface Mutant {
  /** What the mutant breaks, in kebab case. */
  name: string
  file: string
  /** The text to replace; it occurs once in the file. */
  find: string
  replace: string
  /** Test files of the project `worker`, of which at least one has to fail. */
  tests: readonly string[]
  /** Why no test can notice the mutant: another check has the same effect. */
  reason?: string
}
