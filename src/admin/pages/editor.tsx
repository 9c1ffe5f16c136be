// The field of a rich text: a textarea that takes HTML, and over it an editor in browsers with JavaScript.
import { TextArea } from "../../page-kit/form"
import { editorAssets } from "../assets"
import { useT } from "../view"

/** The commands of the toolbar, with the sign on each button; others show their name. */
const COMMANDS = [
  ["bold", "B"],
  ["italic", "I"],
  ["h2", "H2"],
  ["h3", "H3"],
  ["insertUnorderedList", "•"],
  ["insertOrderedList", "1."],
  ["blockquote", "❝"],
  ["createLink", null],
  ["unlink", null],
  ["insertImage", null],
  ["removeFormat", null],
  ["html", "</>"],
] as const

/** The field of a text with headings, lists, links and pictures. */
export function RichText({ name, label, value }: { name: string; label: string; value?: string | undefined }) {
  const { content: t } = useT()
  return (
    <div class="editor" data-editor>
      <div class="toolbar" role="toolbar" aria-label={t.formatting} data-toolbar hidden>
        {COMMANDS.map(([command, sign]) => (
          <button
            type="button"
            data-quiet
            data-command={command}
            data-question={command === "createLink" ? t.link_question : t.picture_question}
            aria-label={t.commands[command]}
            title={t.commands[command]}
          >
            <span aria-hidden="true">{sign ?? t.commands[command]}</span>
          </button>
        ))}
      </div>
      <div class="surface" data-surface hidden />
      <TextArea name={name} label={label} rows={16} value={value} hint={t.text_hint} />
      <script type="module" src={editorAssets.paths.js} />
    </div>
  )
}
