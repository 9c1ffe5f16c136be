// The page of one guide.
import type { Guide } from "../guides"
import { Markdown } from "../markdown"
import { PageFooter } from "./layout"

export const GuidePage = ({ guide }: { guide: Guide }) => (
  <article class="prose">
    <h1>{guide.title}</h1>
    <Markdown text={guide.text} />
    <PageFooter markdown={`/docs/${guide.name}.md`} />
  </article>
)
