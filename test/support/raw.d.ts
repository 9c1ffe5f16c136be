// Files that a test reads as text.
declare module "*?raw" {
  const text: string
  export default text
}

interface ImportMeta {
  /** Vite's: all modules of a pattern, read when the test is. */
  glob(pattern: string, options: { eager: true }): Record<string, Record<string, unknown>>
}
