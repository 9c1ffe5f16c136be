// Finds moments on a page that are printed without the components that name the time zone.

/** Elements whose text is data, such as JSON, or that show a moment the right way. */
const SKIPPED = ["script", "style", "time", "pre", "code", "textarea"]

/** A day or a moment in ISO 8601, and a time of day. */
const MOMENT = /\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d\b/

/** Returns the texts of a page that contain a moment outside of a `<time>`. */
export function findBareMoments(html: string): string[] {
  const text = SKIPPED.reduce(
    (rest, name) => rest.replaceAll(new RegExp(`<${name}\\b[^>]*>.*?</${name}>`, "gs"), ""),
    html,
  )
  return text
    .replaceAll(/<!--.*?-->/gs, "")
    .split(/<[^>]*>/)
    .map((part) => part.trim())
    .filter((part) => MOMENT.test(part))
}
