// Checks the Markdown files of the repository: relative links and images point to files, and anchors to headings.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { expect, test } from "vitest"
import { root } from "../../tools/lib/project"

const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)))

const readDocument = (path: string): string => readFileSync(join(root, path), "utf8").replaceAll("\r\n", "\n")

const withoutCode = (text: string): string =>
  text.replace(/^( *)```.*\n[\s\S]*?^\1```$/gm, "").replace(/`[^`\n]*`/g, "")

/** Returns the anchors that GitHub gives to the headings of a document. */
function listAnchors(text: string): Set<string> {
  const anchors = new Set<string>()
  const headings = text.replace(/^( *)```.*\n[\s\S]*?^\1```$/gm, "").matchAll(/^#{1,6} (.+)$/gm)
  for (const [, heading = ""] of headings) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .trim()
      .replaceAll(" ", "-")
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Returns the targets of a document's links and images, except URLs and the paths of a running platform. */
function listRelativeLinks(text: string): string[] {
  const plain = withoutCode(text)
  const inline = [...plain.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
  const definitions = [...plain.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)]
  return [...inline, ...definitions].map(([, target = ""]) => target).filter((target) => !/^([a-z]+:|\/)/i.test(target))
}

/** Returns why a link is broken; null if it is not. */
function findProblem(path: string, link: string): string | null {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? join(root, path) : resolve(root, dirname(path), decodeURI(file))
  if (relative(root, target).startsWith("..")) return "leaves the repository"
  if (!existsSync(target)) return "no such file"
  if (anchor === undefined) return null
  if (statSync(target).isDirectory() || !target.endsWith(".md")) return "an anchor in something that has no headings"
  return listAnchors(readDocument(relative(root, target))).has(anchor) ? null : "no such heading"
}

const findBrokenLinks = (path: string, text: string): string[] =>
  listRelativeLinks(text).flatMap((link) => {
    const problem = findProblem(path, link)
    return problem === null ? [] : [`${path}: ${link}: ${problem}`]
  })

test("the list of architecture decisions contains each once, in order", () => {
  const listed = listRelativeLinks(readDocument("docs/adr/README.md")).filter((link) => /^\d/.test(link))
  const existing = documents.filter((path) => /^docs\/adr\/\d/.test(path)).map((path) => path.slice("docs/adr/".length))
  expect(listed).toEqual(existing.sort())
})

test("every relative link in a Markdown file points to an existing file and heading", () => {
  expect(documents.length).toBeGreaterThan(50)
  expect(documents.flatMap((path) => findBrokenLinks(path, readDocument(path)))).toEqual([])
})

test("a link to a missing file, heading or image is reported", () => {
  const text = [
    "[good](SECURITY.md#rate-limits) [code]: `[not](a-link.md)` [site](https://example.com/x.md) [page](/docs/errors)",
    "[file](missing.md) [heading](SECURITY.md#missing) ![image](missing.png) [here](#missing) [out](../outside.md)",
    "```md\n[not](a-link.md)\n```",
    "[reference]: missing-reference.md",
  ].join("\n\n")
  expect(findBrokenLinks("README.md", text)).toEqual([
    "README.md: missing.md: no such file",
    "README.md: SECURITY.md#missing: no such heading",
    "README.md: missing.png: no such file",
    "README.md: #missing: no such heading",
    "README.md: ../outside.md: leaves the repository",
    "README.md: missing-reference.md: no such file",
  ])
})

test("every image in docs is used by a Markdown file", () => {
  const images = execFileSync("git", ["ls-files", "docs/*.png", "docs/*.jpg", "docs/*.svg"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(root, path)))
  const used = new Set(
    documents.flatMap((path) =>
      listRelativeLinks(readDocument(path)).map((link) =>
        relative(root, resolve(root, dirname(path), link.split("#")[0] ?? "")),
      ),
    ),
  )
  expect(images.filter((image) => !used.has(image))).toEqual([])
})
