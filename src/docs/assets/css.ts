// CSS as it is written in a module, without the white space that only people read.

/** Compacts a stylesheet that is written as a template. */
export const css = (parts: TemplateStringsArray): string =>
  parts
    .join("")
    .replace(/\s+/g, " ")
    .replace(/\s*([{};,>])\s*/g, "$1")
    .trim()
