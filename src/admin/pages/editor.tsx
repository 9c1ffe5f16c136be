// The fields of rich texts and pictures. Both are plain fields; in browsers with JavaScript an editor is over the text,
// and pictures are chosen from the media library.
import { Field, TextArea } from "../../page-kit/form"
import { editorAssets } from "../assets"
import { MEDIA } from "../paths"
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

/** The data with which the script shows the media library in a dialog. */
function useLibrary() {
  const { content: t } = useT()
  return { "data-library": MEDIA, "data-title": t.choose_picture, "data-close": t.close }
}

/** The field of a text with headings, lists, links and pictures. */
export function RichText({ name, label, value }: { name: string; label: string; value?: string | undefined }) {
  const { content: t } = useT()
  return (
    <div class="editor" data-editor {...useLibrary()}>
      <div class="toolbar" role="toolbar" aria-label={t.formatting} data-toolbar hidden>
        {COMMANDS.map(([command, sign]) => (
          <button
            type="button"
            data-quiet
            data-command={command}
            data-question={command === "createLink" ? t.link_question : undefined}
            // Speech control needs a name that begins with the visible text.
            aria-label={sign && sign.length > 1 ? `${sign} ${t.commands[command]}` : t.commands[command]}
            title={t.commands[command]}
          >
            <span aria-hidden="true">{sign ?? t.commands[command]}</span>
          </button>
        ))}
      </div>
      <div class="surface" data-surface hidden />
      <TextArea name={name} label={label} rows={16} value={value} hint={t.text_hint} />
      <EditorScript />
    </div>
  )
}

interface PictureFieldProps {
  name: string
  label?: string
  value?: string | null | undefined
  hint: string
  /** Of a field with one picture per line; one picture if omitted. */
  rows?: number
  /** Maximum number of pictures of a field with rows. */
  max?: number
}

/** The field of the URLs of pictures, which the script chooses from the media library. */
export function PictureField({ name, label, value, hint, rows, max }: PictureFieldProps) {
  const { content: t } = useT()
  return (
    <div
      class="picker"
      data-picker
      data-first={t.make_first}
      data-remove={t.remove_picture}
      data-text={t.picture_paths}
      data-max={max}
      data-done={t.done_choosing}
      {...useLibrary()}
    >
      {rows === undefined ? (
        <Field name={name} label={label} maxlength={500} value={value} hint={hint} />
      ) : (
        <TextArea name={name} label={label} rows={rows} value={value} hint={hint} />
      )}
      <button type="button" data-quiet hidden>
        {t.choose_picture}
      </button>
      <EditorScript />
    </div>
  )
}

/** A module runs once, however often a page names it. */
export const EditorScript = () => <script type="module" src={editorAssets.paths.js} />
