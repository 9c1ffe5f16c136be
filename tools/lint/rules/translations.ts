// Rules for translated texts.
import { type CodeRule, inSource, nameOf } from "../code-rule.ts"

/** An apostrophe between letters, or in front of a placeholder. */
const STRAIGHT = /\p{L}'[\p{L}:$]|\p{L}'$/u

export const TRANSLATION_RULES: CodeRule[] = [
  {
    rule: "French texts have typographic apostrophes",
    about: inSource,
    mentions: /'/,
    visitor: (_, report) => {
      /** The French values that contain the nodes visited next. */
      const french: { start: number; end: number }[] = []
      const check = (node: { start: number; end: number }, text: string) => {
        const isFrench = french.some(({ start, end }) => start <= node.start && node.end <= end)
        if (isFrench && STRAIGHT.test(text)) report(node, text)
      }
      return {
        Property({ key, value }) {
          if (key.type === "Identifier" && key.name === "fr") french.push(value)
        },
        VariableDeclarator({ id, init }) {
          if (init && id.type === "Identifier" && /^FR$|_FR$/.test(id.name)) french.push(init)
        },
        CallExpression(node) {
          const text = node.arguments[2]
          if (text && nameOf(node.callee) === "localize") french.push(text)
        },
        Literal(node) {
          if (typeof node.value === "string") check(node, node.value)
        },
        TemplateElement: (node) => check(node, node.value.raw),
      }
    },
  },
]
