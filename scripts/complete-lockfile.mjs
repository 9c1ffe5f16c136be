// Adds the platform packages to package-lock.json that `npm install` omitted because the registry lacks them. `npm ci`
// rejects a lockfile without an entry for every optional dependency. Run it after every change of dependencies; it does
// nothing when the lockfile is complete.
import { readFileSync, writeFileSync } from "node:fs"

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"))
const packages = lock.packages

/** Finds the lock key of a package as seen from another one, walking up the node_modules folders as Node does. */
function resolve(from, name) {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf("/node_modules/")))) {
    const key = `${base ? `${base}/` : ""}node_modules/${name}`
    if (packages[key]) return key
    if (!base) return undefined
  }
}

const systems = {
  darwin: "darwin",
  linux: "linux",
  win32: "win32",
  windows: "win32",
  android: "android",
  freebsd: "freebsd",
  openharmony: "openharmony",
}
const processors = {
  64: "x64",
  x64: "x64",
  arm64: "arm64",
  arm: "arm",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
  ia32: "ia32",
}

/** Derives `os`, `cpu` and `libc` from the name of a platform package, so npm installs it only there. */
function platform(name) {
  const words = name.split(/[-/]/)
  const os = words.map((word) => systems[word]).find(Boolean)
  const cpu = words.map((word) => processors[word]).find(Boolean)
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(words.includes("musl") && { libc: ["musl"] }) }
}

const added = []
for (const [key, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (!/^\d/.test(version) || packages[resolve(key, name)]?.version === version) continue
    const path = resolve(key, name) ? `${key}/node_modules/${name}` : `node_modules/${name}`
    packages[path] = { version, dev: true, optional: true, ...platform(name) }
    added.push(`${path}@${version}`)
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, "en")))
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length ? added.join("\n") : "package-lock.json is complete")
