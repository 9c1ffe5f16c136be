// Lists the licenses of the project's dependencies from package-lock.json.

interface LockedPackage {
  version?: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
}

type Lockfile = { packages: Record<string, LockedPackage> }

/** Lists the entries without an integrity hash, as `name@version`. */
export const listUnverifiedPackages = ({ packages }: Lockfile): string[] =>
  Object.entries(packages)
    .filter(([path, { integrity }]) => path !== "" && !integrity)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`)

/**
 * Renders the page `docs/reference/dependencies.md`.
 * @param lock package-lock.json, parsed
 */
export function renderLicensePage(lock: Lockfile): string {
  const { packages } = lock
  const all = Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ""), ...locked }))
  const shipped = all.filter(({ dev, optional }) => !dev && !optional)
  const tools = all.filter(({ dev, optional }) => dev || optional)
  const counts = new Map<string, number>()
  for (const { license = "see the package" } of tools) counts.set(license, (counts.get(license) ?? 0) + 1)
  return [
    "# Dependencies and their licenses",
    "",
    "`npm run licenses` generates this page from package-lock.json, and a test compares them. `npm run -s sbom` prints the",
    "packages of the Worker as a CycloneDX bill of materials.",
    "",
    "## Runtime dependencies",
    "",
    "| Package | Version | License |",
    "| --- | --- | --- |",
    ...shipped.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`),
    "",
    "## Development dependencies",
    "",
    "None of these is in the bundle.",
    "",
    "| License | Packages |",
    "| --- | --- |",
    ...[...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([license, count]) => `| ${license} | ${count} |`),
    "",
    "## Entries without an integrity hash",
    "",
    "`npm ci` rejects a lockfile in which an optional dependency has no entry. The registry that generated this lockfile",
    "does not have the platform builds below, so `scripts/complete-lockfile.mjs` added entries without a hash. All of them",
    "are optional development tools with an exact version. Each is installed only on the platform in its name, and never on",
    "Linux x64 with glibc, where the project is built, tested and deployed. On those platforms, only TLS to the registry",
    "protects the download. `npm view <name>@<version> dist.integrity` prints the hash if the registry has the package. A",
    "test lists every entry, so an additional one fails.",
    "",
    ...listUnverifiedPackages(lock).map((entry) => `- ${entry}`),
    "",
  ].join("\n")
}

/** Lists the Worker's packages whose license requires more than including its notice. */
export const listDisallowedLicenses = ({ packages }: Lockfile): string[] =>
  Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && !dev && !optional)
    .filter(([, { license = "" }]) => !/^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|MIT OR Apache-2\.0)$/.test(license))
    .map(([path]) => path.replace(/^.*node_modules\//, ""))
