// placeholder
export const RETIRED_NAMES: Record<string, string> = {}
export const RETIRED_WORDS: Record<string, string> = {}
