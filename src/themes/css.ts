// Minifies stylesheets: removes comments, line breaks and indentation.

/**
 * Minifies a stylesheet to one line.
 * @param source a stylesheet without strings that contain braces, semicolons or runs of spaces
 */
export function minifyCss(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .replace(/: /g, ":")
    .replace(/;}/g, "}")
    .trim()
}
