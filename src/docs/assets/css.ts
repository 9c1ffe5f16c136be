// Minifies stylesheets that are written as template literals.

/** Template tag that removes insignificant white space from CSS. */
export const css = (parts: TemplateStringsArray): string =>
  parts
    .join("")
    .replace(/\s+/g, " ")
    .replace(/\s*([{};,>])\s*/g, "$1")
    .trim()
