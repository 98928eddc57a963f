import { files, Icon, type IconName, TextArea } from "../../http/ui/index.ts";

interface RichTextProps {
  label: string;
  text: string;
  /** The same with its formatting. Empty: it has none. */
  html: string;
  /** The format in which it is edited. Empty: the one that the person prefers. */
  format: "" | "rich" | "plain";
  rows: number;
  /** Default true. */
  required?: boolean;
  autofocus?: boolean;
}

/** The buttons of the editor: what they do (client/formatting.ts), their icons, names and keys. */
const FORMATS: readonly [format: string, icon: IconName, name: string, key?: string][] = [
  ["bold", "bold", "Bold", "B"],
  ["italic", "italic", "Italic", "I"],
  ["underline", "underline", "Underline", "U"],
  ["link", "link", "Link", "K"],
  ["bullets", "list", "Bulleted list"],
  ["numbers", "numbers", "Numbered list"],
  ["quote", "quote", "Quote"],
  ["clear", "clear", "Remove formatting"],
];

/** A field of plain text, in whose place the script puts an editor. Without it no HTML is submitted, since the text may have changed. */
export const RichText = ({ text, html, format, autofocus = false, ...field }: RichTextProps) => (
  <div class="rich" data-editor={files.editorScript} data-format={format} data-autofocus={autofocus ? "" : undefined}>
    <TextArea {...field} name="text" value={text} autofocus={autofocus} />
    <textarea name="html" hidden disabled>
      {html}
    </textarea>
    {/* Above the text by its style: Tab leads from the subject into the text. */}
    <div class="format-bar" data-off="">
      <div role="toolbar" aria-label="Formatting" class="formats">
        {FORMATS.map(([name, icon, title, key], index) => (
          <button
            type="button"
            class="bare"
            data-do={name}
            tabindex={index === 0 ? 0 : -1}
            aria-label={title}
            title={key === undefined ? title : `${title} (Ctrl+${key})`}
            aria-keyshortcuts={key === undefined ? undefined : `Control+${key}`}
            aria-pressed={name === "clear" ? undefined : "false"}
          >
            <Icon name={icon} />
          </button>
        ))}
      </div>
      <fieldset class="modes" aria-label="Format of the text">
        <button type="button" data-mode="rich" aria-pressed="false">
          Rich text
        </button>
        <button type="button" data-mode="plain" aria-pressed="false">
          Plain text
        </button>
      </fieldset>
    </div>
    {html === "" ? null : (
      <noscript>
        <p class="hint">The formatting of this text needs scripts. It is saved and sent as plain text.</p>
      </noscript>
    )}
  </div>
);
