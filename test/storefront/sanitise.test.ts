// The HTML sanitiser: a table of rules, and properties for generated input.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { plainText, sanitise } from "../../src/storefront/text/sanitise"
import { parseElements } from "./fixtures"

const LINK = /^(?:https?:|mailto:|tel:|[^:]*$|[^:]*[/?#])/i

/** Asserts that a parser finds only allowed elements, attributes and URLs in the output. */
async function expectHarmless(output: string): Promise<void> {
  for (const { tag, attributes } of await parseElements(output)) {
    expect(tag).toMatch(
      /^(p|div|h[2-6]|[uod]l|dt|dd|li|pre|fig(ure|caption)|details|summary|table|caption|t(head|body|foot|r|d|h)|span|strong|b|em|i|u|s|del|ins|su[bp]|mark|small|abbr|cite|q|code|kbd|samp|var|br|hr|blockquote|a|img|time)$/,
    )
    for (const [name, value] of Object.entries(attributes)) {
      expect(name).toMatch(
        /^(href|src|alt|width|height|title|lang|dir|start|reversed|colspan|rowspan|scope|datetime|open|rel|loading|decoding)$/,
      )
      if (name === "href" || name === "src") expect(value).toMatch(LINK)
    }
  }
}

describe("sanitise", () => {
  const table: [rule: string, input: string, output: string][] = [
    [
      "keeps ordinary markup",
      "<p>One <strong>two</strong> <em>three</em></p>",
      "<p>One <strong>two</strong> <em>three</em></p>",
    ],
    ["keeps lists", "<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li><li>b</li></ul>"],
    [
      "keeps links to the web",
      '<a href="https://a.example/?b=1&amp;c=2">x</a>',
      '<a href="https://a.example/?b=1&amp;c=2" rel="noopener">x</a>',
    ],
    ["keeps links within the shop", '<a href="/pages/about">x</a>', '<a href="/pages/about" rel="noopener">x</a>'],
    [
      "keeps mail and telephone links",
      '<a href="mailto:a@b.example">x</a><a href="tel:+331">y</a>',
      '<a href="mailto:a@b.example" rel="noopener">x</a><a href="tel:+331" rel="noopener">y</a>',
    ],
    [
      "keeps pictures and loads them lazily",
      '<img src="/media/a.jpg" alt="A">',
      '<img src="/media/a.jpg" alt="A" loading="lazy" decoding="async">',
    ],
    [
      "gives a picture without alt an empty one",
      "<img src=/a.jpg>",
      '<img src="/a.jpg" alt="" loading="lazy" decoding="async">',
    ],
    ["moves a second main heading down", "<h1>x</h1>", "<h2>x</h2>"],
    ["keeps tables", "<table><tr><td colspan=2>x</td></tr></table>", '<table><tr><td colspan="2">x</td></tr></table>'],
    ["removes the tags of an unknown element", "<blink>x</blink><font color=red>y</font>", "xy"],
    ["drops classes, ids, styles and data", '<p class="a" id="b" style="color:red" data-c="d">x</p>', "<p>x</p>"],
    ["drops scripts with their content", "a<script>alert(1)</script>b", "ab"],
    ["drops scripts in capitals", "a<SCRIPT SRC=//x.example></SCRIPT>b", "ab"],
    ["drops a script that is never closed", "a<script>alert(1)", "a"],
    ["drops a script with a closing tag inside a string", 'a<script>"<\\/script>"; alert(1)</script >b', "ab"],
    ["drops a script spread over lines", "a<script\n>alert(1)</script\n>b", "ab"],
    ["drops a script nested in its own name", "<scr<script>ipt>alert(1)</scr</script>ipt>x", "ipt&gt;alert(1)ipt&gt;x"],
    ["drops styles", "a<style>p{display:none}</style>b", "ab"],
    [
      "drops frames, objects and embeds",
      '<iframe src="https://x.example"></iframe><object data=x><p>y</p></object><embed src=x>z',
      "z",
    ],
    [
      "drops drawings with their contents",
      "a<svg><a xlink:href='javascript:alert(1)'><text>x</text></a><script>1</script></svg>b",
      "ab",
    ],
    ["drops an empty drawing alone", "a<svg/onload=alert(1)/>b", "ab"],
    [
      "drops formulas",
      "a<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></mtext></math>b",
      "ab",
    ],
    ["drops templates", "a<template><img src=/x onerror=alert(1)></template>b", "ab"],
    [
      "drops handlers",
      '<img src="/x" onerror="alert(1)"><p onclick=alert(1) ONMOUSEOVER=alert(1)>x</p>',
      '<img src="/x" alt="" loading="lazy" decoding="async"><p>x</p>',
    ],
    [
      "drops a handler after a slash",
      "<img/src=/x/onerror=alert(1)>",
      '<img src="/x/onerror=alert(1)" alt="" loading="lazy" decoding="async">',
    ],
    [
      "drops a handler hidden by a quote",
      `<img src="/x" title='a"onerror="alert(1)'>`,
      '<img src="/x" alt="" title="a&quot;onerror=&quot;alert(1)" loading="lazy" decoding="async">',
    ],
    ["drops javascript: links", '<a href="javascript:alert(1)">x</a>', "x"],
    ["drops javascript: in capitals", '<a href="JaVaScRiPt:alert(1)">x</a>', "x"],
    ["drops javascript: behind spaces", '<a href="  \t\n javascript:alert(1)">x</a>', "x"],
    ["drops javascript: with a line break in it", '<a href="java\nscript:alert(1)">x</a>', "x"],
    ["drops javascript: written in references", '<a href="&#106;avascript&colon;alert(1)">x</a>', "x"],
    ["drops javascript: in references without semicolons", '<a href="&#x6A&#x61vascript:alert(1)">x</a>', "x"],
    ["drops javascript: with a tab reference", '<a href="java&Tab;script:alert(1)">x</a>', "x"],
    ["drops javascript: behind control characters", '<a href="\u0001javascript:alert(1)">x</a>', "x"],
    ["drops javascript: with invisible characters", '<a href="java\u200bscript:alert(1)">x</a>', "x"],
    ["drops javascript: with a NUL in it", '<a href="java\0script:alert(1)">x</a>', "x"],
    [
      "drops data: and vbscript: links",
      '<a href="data:text/html,<script>1</script>">x</a><a href="vbscript:x">y</a>',
      "xy",
    ],
    [
      "drops pictures with other URL schemes",
      '<img src="javascript:alert(1)"><img src="data:image/svg+xml,<svg onload=alert(1)>">',
      "",
    ],
    [
      "takes the first of two equal attributes",
      '<a href="/safe" href="javascript:alert(1)">x</a>',
      '<a href="/safe" rel="noopener">x</a>',
    ],
    [
      "keeps unknown character references as text",
      '<a href="javascript&bogus;alert(1)">x</a>',
      '<a href="javascript&amp;bogus;alert(1)" rel="noopener">x</a>',
    ],
    [
      "keeps a link with a port",
      '<a href="//x.example:8080/a:b">x</a>',
      '<a href="//x.example:8080/a:b" rel="noopener">x</a>',
    ],
    ["drops comments", "a<!-- <script>alert(1)</script> -->b", "ab"],
    ["drops comments that end early", "a<!--><script>alert(1)</script>-->b", "a--&gt;b"],
    ["drops comments that never end", "a<!-- <p>b", "a"],
    ["drops doctypes, instructions and CDATA", "<!doctype html><?php x ?>a<![CDATA[ b ]]>", "a"],
    ["drops a tag the text ends within", 'a<img src="/x" onerror="alert(1)', "a"],
    ["writes a lone < as text", "1 < 2 and 3 <4 <", "1 &lt; 2 and 3 &lt;4 &lt;"],
    ["keeps written references", "&lt;script&gt; &amp; &eacute; &#233;", "&lt;script&gt; &amp; &eacute; &#233;"],
    [
      "escapes an ampersand outside of a character reference",
      "Marlow & Pine &; &nonsense",
      "Marlow &amp; Pine &amp;; &amp;nonsense",
    ],
    [
      "escapes quotes in attributes",
      `<abbr title='"><script>alert(1)</script>'>x</abbr>`,
      '<abbr title="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">x</abbr>',
    ],
    ["closes what was left open", "<p><strong>a", "<p><strong>a</strong></p>"],
    ["ignores what was never open", "a</p></div></strong>b", "ab"],
    ["repairs wrong nesting", "<b><i>a</b>b</i>", "<b><i>a</i></b>b"],
    ["ends a paragraph before a block", "<p>a<ul><li>b</ul>", "<p>a</p><ul><li>b</li></ul>"],
    [
      "ends an item before the next",
      "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>",
      "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>",
    ],
    [
      "ends cells and rows",
      "<table><tr><td>a<td>b<tr><td>c</table>",
      "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
    ],
    [
      "ends a link before the next",
      '<a href="/a">a<a href="/b">b',
      '<a href="/a" rel="noopener">a</a><a href="/b" rel="noopener">b</a>',
    ],
    ["removes the tags of an item without a list", "<li>a</li><td>b</td>", "ab"],
    [
      "drops invalid numbers, directions and languages",
      '<img src="/x" width="100%" height="1e9"><p dir="up" lang="\'x">y</p>',
      '<img src="/x" alt="" loading="lazy" decoding="async"><p>y</p>',
    ],
    [
      "does not treat properties of Object.prototype as elements",
      "<constructor>a</constructor><valueof>b</valueof><toString>c",
      "abc",
    ],
    ["handles capitals whose lower case has another length", "İİİ<script>alert(1)</script>b", "İİİb"],
    ["keeps nothing after plaintext", "a<plaintext><p>b", "a"],
  ]

  it("sanitises every input of the table as expected", async () => {
    for (const [rule, input, output] of table) {
      expect.soft(sanitise(input), rule).toBe(output)
      await expectHarmless(sanitise(input))
    }
  })

  it("sanitise is idempotent", () => {
    fc.assert(fc.property(hostile, (input) => sanitise(sanitise(input)) === sanitise(input)))
  })

  it("sanitise outputs only allowed elements and attributes for generated input", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (input) => expectHarmless(sanitise(input))),
      { numRuns: 500 },
    )
  })

  it("sanitise outputs balanced tags", () => {
    fc.assert(
      fc.property(hostile, (input) => {
        const open: string[] = []
        for (const [, slash, name = ""] of sanitise(input).matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
          if (["br", "hr", "img"].includes(name)) continue
          if (!slash) open.push(name)
          else if (open.pop() !== name) return false
        }
        return open.length === 0
      }),
    )
  })

  it("sanitise limits the nesting depth", () => {
    const output = sanitise("<div>".repeat(100_000))
    expect(output.match(/<div>/g)).toHaveLength(40)
  })

  it("sanitises a megabyte of any pattern in linear time", () => {
    const pieces = [
      "<",
      "<!--",
      "<a ",
      '<a href="',
      "</",
      "<script>",
      "&#",
      "<p ".padEnd(50),
      "<svg>",
      "<p><b>",
      "\n\n",
    ]
    for (const piece of pieces) expect(sanitise(piece.repeat(1_000_000 / piece.length))).not.toContain("<script")
  }, 10_000)
})

describe("plainText", () => {
  it("plainText returns the visible text", () => {
    const table: [html: string, text: string][] = [
      ["<p>One</p><p>two</p>", "One two"],
      ["a<br>b<script>alert(1)</script>", "a b"],
      ["Marlow &amp; Pine &lt;3", "Marlow & Pine <3"],
      ["<ul><li>a<li>b</ul>\n\n c", "a b c"],
      ["", ""],
    ]
    for (const [html, text] of table) expect.soft(plainText(html), html).toBe(text)
  })
})

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."<script>|</script>|<img src=x onerror=alert(1)>|<a href='javascript:alert(1)'>|</a>|<svg onload=alert(1)>|</svg>".split(
          "|",
        ),
        ..."<p>|</p>|<li>|<ul>|</ul>|<table>|<tr>|<td>|</table>|<b>|</b>|<math>|<style>|</style>|<!--|-->|<![CDATA[|]]>".split(
          "|",
        ),
        ..."<a |href=|\"|'|>|/>|</|<|&|&#106;|&colon;|javascript:|\n|\t|\0|=|/| onclick=|<textarea>|<title>|<noscript>".split(
          "|",
        ),
        ...'<a title="|<img src="/x" alt="|<details open>|<blockquote>|<h1>|<iframe src=|<template>|<plaintext>'.split(
          "|",
        ),
      ),
      fc.string({ maxLength: 5 }),
      fc.string({ unit: "grapheme", maxLength: 3 }),
    ),
    { maxLength: 25 },
  )
  .map((pieces) => pieces.join(""))
