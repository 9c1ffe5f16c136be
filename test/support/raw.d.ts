// Files that a test reads as text.
declare module "*?raw" {
  const text: string
  export default text
}

interface ImportMeta {
  /** The files of a pattern, as Vite puts them in: here, their text. */
  glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>
}
