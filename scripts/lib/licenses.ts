// The licenses of what the project depends on, as package-lock.json has them.

interface Locked {
  version?: string
  license?: string
  dev?: boolean
  optional?: boolean
}

/**
 * The page `docs/dependencies.md`.
 * @param lock package-lock.json, parsed
 */
export function licensePage({ packages }: { packages: Record<string, Locked> }): string {
  const all = Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ""), ...locked }))
  const shipped = all.filter(({ dev, optional }) => !dev && !optional)
  const tools = all.filter(({ dev, optional }) => dev || optional)
  const counts = new Map<string, number>()
  for (const { license = "named by its own package" } of tools) counts.set(license, (counts.get(license) ?? 0) + 1)
  return [
    "# Dependencies and their licenses",
    "",
    "Made of package-lock.json by `npm run licenses`; a test fails when it is out of date. `npm run -s sbom` prints the same as a CycloneDX",
    "bill of materials.",
    "",
    "## What the Worker is made of",
    "",
    "| Package | Version | License |",
    "| --- | --- | --- |",
    ...shipped.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`),
    "",
    "## What builds and tests it",
    "",
    "None of these is in the bundle.",
    "",
    "| License | Packages |",
    "| --- | --- |",
    ...[...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([license, count]) => `| ${license} | ${count} |`),
    "",
  ].join("\n")
}

/** Packages of the Worker whose license is none of those that ask for no more than their notice. */
export const unwelcome = ({ packages }: { packages: Record<string, Locked> }): string[] =>
  Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && !dev && !optional)
    .filter(([, { license = "" }]) => !/^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|MIT OR Apache-2\.0)$/.test(license))
    .map(([path]) => path.replace(/^.*node_modules\//, ""))
