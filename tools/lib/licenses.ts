// The licenses of what the project depends on, as package-lock.json has them.

interface Locked {
  version?: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
}

type Lock = { packages: Record<string, Locked> }

/** Entries whose download npm cannot compare with a hash, as `name@version`. */
export const unverified = ({ packages }: Lock): string[] =>
  Object.entries(packages)
    .filter(([path, { integrity }]) => path !== "" && !integrity)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`)

/**
 * The page `docs/reference/dependencies.md`.
 * @param lock package-lock.json, parsed
 */
export function licensePage(lock: Lock): string {
  const { packages } = lock
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
    "## Entries without an integrity hash",
    "",
    "`npm ci` refuses a lockfile in which an optional dependency has no entry. The registry that this lockfile was made with does not carry the",
    "platform builds below, so `scripts/complete-lockfile.mjs` wrote their entries without a hash. They belong to development tools: none is in the",
    "bundle. Each is optional, pinned to an exact version, and installed only on the platform in its name, never on Linux x64 with glibc, where the",
    "project is built, tested and deployed. On those platforms TLS to the registry is the only protection of the download. A registry",
    "that carries them gives their hashes: `npm view <name>@<version> dist.integrity`. A test names every entry, so that a new one fails.",
    "",
    ...unverified(lock).map((entry) => `- ${entry}`),
    "",
  ].join("\n")
}

/** Packages of the Worker whose license is none of those that ask for no more than their notice. */
export const unwelcome = ({ packages }: Lock): string[] =>
  Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && !dev && !optional)
    .filter(([, { license = "" }]) => !/^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|MIT OR Apache-2\.0)$/.test(license))
    .map(([path]) => path.replace(/^.*node_modules\//, ""))
