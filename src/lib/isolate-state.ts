// Registers the mutable state of modules, which lives as long as the isolate, so that every test starts without it.

/** State of the isolate. Read `current` on every use, because a reset replaces it. */
export interface IsolateState<State> {
  current: State
}

const resets: (() => void)[] = []

/**
 * Declares state that a module keeps between requests, such as a cache. Modules have no other mutable state, except for
 * what only saves computing the same result again: `memoize`, prepared statements and facts about an object in a
 * `WeakMap`.
 * @param create returns the state of a new isolate
 */
export function isolateState<State>(create: () => State): IsolateState<State> {
  const state = { current: create() }
  resets.push(() => {
    state.current = create()
  })
  return state
}

/** Resets the state of all modules to that of a new isolate. Only tests call it, before each test. */
export function resetIsolateState(): void {
  for (const reset of resets) reset()
}
