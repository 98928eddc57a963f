import { Chips, Notice, Select, TextArea } from "../../../http/ui/index.ts";
import { type Block, readBlocks } from "../../../sending/templates/index.ts";
import { Blocks } from "./blocks.tsx";
import type { BlocksChange } from "./change.ts";
import { isBlank, render, type StoredContent, type WrittenContent } from "./content.ts";

const LANGUAGES = { placeholders: "Placeholders: {{name}}", liquid: "Liquid: conditions, loops, filters" };

interface ContentFieldsProps {
  content: WrittenContent;
  change: BlocksChange | undefined;
  /** Of the field for HTML. */
  hint: string;
}

/** The fields of a content: its language, and its blocks, or HTML and text. The form has `data-editor` and keeps its values itself. */
export function ContentFields({ content, change, hint }: ContentFieldsProps) {
  const blocks = change?.blocks ?? content.blocks;
  const byBlocks = "Conditions, parts and texts with tags are Liquid, whatever is chosen.";
  const language = { label: "Placeholders", options: LANGUAGES, value: content.language };
  return (
    <>
      <input type="hidden" name="editor" value={blocks === null ? "html" : "blocks"} />
      <Select name="language" {...language} hint={blocks === null ? undefined : byBlocks} />
      {blocks === null ? (
        <>
          <TextArea
            name="html_body"
            label="HTML"
            required={false}
            rows={14}
            code
            hint={hint}
            value={content.html_body}
          />
          <TextArea name="text_body" label="Text" required={false} value={content.text_body} />
        </>
      ) : (
        <>
          <Blocks blocks={blocks} change={change} />
          <p class="hidden" role="status" data-said-here="" />
        </>
      )}
    </>
  );
}

interface EditorChoiceProps {
  /** Null: a new one. */
  stored: StoredContent | null;
  /** As the page shows them. */
  blocks: readonly Block[] | null;
  /** Path of the page with a parameter `editor`. */
  to: (editor: "blocks" | "html") => string;
}

/** Links between blocks and HTML, unless HTML is stored, which no blocks are made of; and a word about what saving replaces. */
export function EditorChoice({ stored, blocks, to }: EditorChoiceProps) {
  const before = stored && readBlocks(stored.blocks_json);
  if (before === null && !isBlank(stored)) return null;
  const { html, text } = render(before ?? [], stored?.language ?? "placeholders");
  return (
    <>
      <Chips
        label="How to write it"
        choices={{ blocks: "Blocks", html: "HTML" }}
        chosen={blocks === null ? "html" : "blocks"}
        to={to}
      />
      {before && !blocks ? (
        <Notice kind="warn">Saving the HTML deletes the blocks, which cannot be made of HTML again.</Notice>
      ) : null}
      {before && blocks && (html !== stored.html_body || text !== stored.text_body) ? (
        <Notice kind="warn">The HTML or text differs from the blocks. Saving the blocks replaces both.</Notice>
      ) : null}
    </>
  );
}
