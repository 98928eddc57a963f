import { Field, TextArea, useError } from "../../../http/ui/index.ts";
import { type Block, BUTTON_COLOR, blockLimits } from "../../../sending/templates/index.ts";
import { fieldOf } from "./content.ts";

export interface BlockFieldsProps {
  block: Block;
  index: number;
  focus: string | undefined;
}

/** The fields of one block, by its type. */
export function BlockFields({ block, index, focus }: BlockFieldsProps) {
  const { type, text, url } = block;
  if (type === "divider") return <hr />;
  if (type === "columns") return <ColumnFields block={block} index={index} focus={focus} />;
  const [textName, urlName] = [fieldOf(index, "text"), fieldOf(index, "url")];
  const textField = { name: textName, value: text, autofocus: focus === textName };
  if (type === "spacer")
    return <Field label="Height in pixels" hint={`1 to ${blockLimits.height}.`} inputmode="numeric" {...textField} />;
  if (type === "part")
    return <Field label="Name of the template" hint="A template in Liquid, such as a footer." {...textField} />;
  return (
    <>
      {type === "text" ? (
        <TextArea label="Text" rows={4} hint="An empty line begins a new paragraph." {...textField} />
      ) : (
        <Field label={type === "image" ? "Alternative text" : "Text"} required={type !== "image"} {...textField} />
      )}
      {type === "button" || type === "image" ? (
        <Field name={urlName} label="URL" placeholder="https://example.com/" value={url} />
      ) : null}
      {type === "button" ? (
        <Field name={fieldOf(index, "color")} label="Colour" type="color" value={block.color ?? BUTTON_COLOR} />
      ) : null}
    </>
  );
}

const COLUMNS = [
  { text: "text", url: "url", label: "Left" },
  { text: "rightText", url: "rightUrl", label: "Right" },
] as const;

const ColumnFields = ({ block, index, focus }: BlockFieldsProps) => (
  <div class="columns">
    {COLUMNS.map((column) => {
      const [textName, urlName] = [fieldOf(index, column.text), fieldOf(index, column.url)];
      return (
        <div>
          <TextArea
            name={textName}
            label={`${column.label}: text`}
            rows={4}
            required={false}
            value={block[column.text] ?? ""}
            autofocus={focus === textName}
          />
          <Field
            name={urlName}
            label={`${column.label}: URL of an image`}
            required={false}
            hint="With an image the text is its alternative text."
            placeholder="https://example.com/"
            value={block[column.url] ?? ""}
          />
        </div>
      );
    })}
  </div>
);

/** The condition of a block, unfolded when there is one. */
export function Condition({ block, index }: Omit<BlockFieldsProps, "focus">) {
  const [valueName, equalsName] = [fieldOf(index, "showIf"), fieldOf(index, "equals")];
  const { showIf = "", equals = "" } = block;
  const isRefused = useError(valueName) !== undefined || useError(equalsName) !== undefined;
  const isOpen = `${showIf}${equals}` !== "" || isRefused;
  return (
    <details class="condition" open={isOpen}>
      <summary aria-label={`Condition of block ${index + 1}`}>Condition</summary>
      <div class="columns">
        <Field
          name={valueName}
          label="Show only if there is a value"
          required={false}
          value={showIf}
          hint="Its name or path: order.total."
        />
        <Field name={equalsName} label="And it equals" required={false} value={equals} hint="Empty: any value." />
      </div>
    </details>
  );
}
