// What the contract's check saw: `<api> <operation> <status> <code>`, without the code where there is none.

export const seen = new Set<string>()

/** Takes the record of what was seen since this was last asked. */
export function takeSeen(): string[] {
  const taken = [...seen]
  seen.clear()
  return taken
}
