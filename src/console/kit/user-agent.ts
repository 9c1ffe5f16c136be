// Describes a User-Agent header, so that operators recognize their sessions.

/** In order of precedence: browsers that also claim to be another one come before it. */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(?:A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[\d.]* .*Safari\//],
]

const SYSTEMS: [name: string, pattern: RegExp][] = [
  ["Android", /Android/],
  ["iOS", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["ChromeOS", /CrOS/],
  ["Linux", /Linux/],
]

/**
 * @param agent a `User-Agent`
 * @returns for example `Firefox 140 on Windows`; the header itself when the browser is unknown
 */
export function describeUserAgent(agent: string): string {
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(agent)?.[1]
    const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0]
    if (version) return `${name} ${version}${system ? ` on ${system}` : ""}`
  }
  return agent
}
