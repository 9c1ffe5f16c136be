// What a browser calls itself, in words: by these somebody knows their own sessions from others'.

/** Those that name others beside themselves come before these. */
const BROWSERS: [name: string, form: RegExp][] = [
  ["Edge", /\bEdg(?:A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[\d.]* .*Safari\//],
]

const SYSTEMS: [name: string, form: RegExp][] = [
  ["Android", /Android/],
  ["iOS", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS X/],
  ["ChromeOS", /CrOS/],
  ["Linux", /Linux/],
]

/**
 * @param agent a `User-Agent`
 * @returns such as `Firefox 140 on Windows`; the agent as it is where no browser is known in it
 */
export function agentName(agent: string): string {
  for (const [name, form] of BROWSERS) {
    const version = form.exec(agent)?.[1]
    const system = SYSTEMS.find(([, sign]) => sign.test(agent))?.[0]
    if (version) return `${name} ${version}${system ? ` on ${system}` : ""}`
  }
  return agent
}
