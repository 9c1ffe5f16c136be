// Code with its words coloured, in any of the languages the pages show: comments, texts, numbers and keywords.

const KEYWORDS = new Set(
  `await async const let var function return if else for of in new import export from class def end do then throw try catch raise
   except pass with as use require foreach echo func package type struct nil null true false None True False fn`.split(
    /\s+/,
  ),
)

// Comments, texts, numbers, words, and whatever else one character at a time.
const TOKENS =
  /(?<comment>(?:^|(?<=\s))#[^\n]*|(?:^|(?<=\s))\/\/[^\n]*)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<number>\b\d[\d_.]*\b)|(?<word>[A-Za-z_$][\w$]*)|[\s\S]/gm

/** @param language of the code; texts that are no code stay as they are */
function Highlighted({ code, language }: { code: string; language: string }) {
  if (language === "" || language === "text") return <>{code}</>
  return <>{spans(code)}</>
}

function spans(code: string) {
  const parts: (string | { kind: string; text: string })[] = []
  for (const { 0: token, groups = {} } of code.matchAll(TOKENS)) {
    const kind = kindOf(token, groups)
    const before = parts.at(-1)
    if (kind) parts.push({ kind, text: token })
    else if (typeof before === "string") parts[parts.length - 1] = before + token
    else parts.push(token)
  }
  return parts.map((part) => (typeof part === "string" ? part : <i class={part.kind}>{part.text}</i>))
}

function kindOf(token: string, groups: Record<string, string | undefined>): string | null {
  if (groups.comment) return "c"
  if (groups.text) return "s"
  if (groups.number) return "n"
  return groups.word && KEYWORDS.has(token) ? "k" : null
}

/** A block of code with its language's name and a button that copies it, which a script brings to life. */
export const Code = ({ code, language, title }: { code: string; language: string; title?: string }) => (
  <figure class="code">
    {title && <figcaption>{title}</figcaption>}
    <pre tabindex={0}>
      <code>
        <Highlighted code={code} language={language} />
      </code>
    </pre>
  </figure>
)
