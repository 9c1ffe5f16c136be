// Highlights comments, strings, numbers and keywords in code samples. One tokenizer serves all the languages shown.

const KEYWORDS = new Set(
  `await async const let var function return if else for of in new import export from class def end do then throw try catch raise
   except pass with as use require foreach echo func package type struct nil null true false None True False fn`.split(
    /\s+/,
  ),
)

/** Matches a comment, a string, a number, a word, or any other single character. */
const TOKENS =
  /(?<comment>(?:^|(?<=\s))#[^\n]*|(?:^|(?<=\s))\/\/[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<number>\b\d[\d_.]*\b)|(?<word>[A-Za-z_$][\w$]*)|[\s\S]/gm

/** @param language of the code; an empty one or `text` disables highlighting */
function Highlighted({ code, language }: { code: string; language: string }) {
  if (language === "" || language === "text") return <>{code}</>
  return <>{tokenize(code)}</>
}

function tokenize(code: string) {
  const parts: (string | { kind: string; text: string })[] = []
  for (const { 0: token, groups = {} } of code.matchAll(TOKENS)) {
    const kind = classify(token, groups)
    const previous = parts.at(-1)
    if (kind) parts.push({ kind, text: token })
    else if (typeof previous === "string") parts[parts.length - 1] = previous + token
    else parts.push(token)
  }
  return parts.map((part) => (typeof part === "string" ? part : <i class={part.kind}>{part.text}</i>))
}

/** The CSS class of a token; null for one that is not highlighted. */
function classify(token: string, groups: Record<string, string | undefined>): string | null {
  if (groups.comment) return "c"
  if (groups.string) return "s"
  if (groups.number) return "n"
  return groups.word && KEYWORDS.has(token) ? "k" : null
}

/** A code block with a caption. The page's script adds a copy button to it. */
export const CodeBlock = ({ code, language, title }: { code: string; language: string; title?: string }) => (
  <figure class="code">
    {title && <figcaption>{title}</figcaption>}
    <pre tabindex={0}>
      <code>
        <Highlighted code={code} language={language} />
      </code>
    </pre>
  </figure>
)
