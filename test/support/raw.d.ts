// Declares imports of files as text.
declare module "*?raw" {
  const text: string
  export default text
}

interface ImportMeta {
  /** Vite's glob import: the text of each matching file. */
  glob(pattern: string | string[], options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>
  /** The matching modules. */
  glob<Module>(pattern: string, options: { eager: true }): Record<string, Module>
}
