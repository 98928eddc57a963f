import { Icon, Notice, Submit, toSentence } from "../../../http/ui/index.ts";
import { BLOCK_TYPES, type Block, type BlockType } from "../../../sending/templates/index.ts";
import { BlockFields, type BlockFieldsProps, Condition } from "./block-fields.tsx";
import type { BlocksChange } from "./change.ts";
import { fieldOf } from "./content.ts";

/** The blocks of a content: the fields of each, buttons at its right edge, and a plus before it. Each button submits the form. */
export const Blocks = ({ blocks, change }: { blocks: readonly Block[]; change: BlocksChange | undefined }) => (
  <section id="blocks" aria-label="Blocks" data-said={change?.said}>
    <p class="hint">Placeholders such as {"{{name}}"} are filled in by each email.</p>
    {blocks.map((block, index) => {
      const shown = { block, index, focus: change?.focus };
      return (
        <>
          <Insert index={index} />
          <fieldset class="block">
            <legend>
              {index + 1}. {toSentence(block.type)}
            </legend>
            <input type="hidden" name={fieldOf(index, "type")} value={block.type} />
            <BlockFields {...shown} />
            <Condition block={block} index={index} />
            <div class="tools">
              <Tool verb="up" disabled={index === 0} {...shown} />
              <Tool verb="down" disabled={index === blocks.length - 1} {...shown} />
              <Tool verb="remove" {...shown} />
            </div>
          </fieldset>
        </>
      );
    })}
    <fieldset class="add">
      <legend>Add a block</legend>
      <div class="actions">
        {BLOCK_TYPES.map((type) => (
          <AddButton
            type={type}
            action={`add:${type}`}
            name={`Add ${type}`}
            autofocus={change?.focus === `add:${type}`}
          />
        ))}
      </div>
    </fieldset>
    {change === undefined ? null : <Notice kind="warn">The blocks are changed, and not saved yet.</Notice>}
  </section>
);

/** A plus before a block, which unfolds the types of a block to insert there. */
const Insert = ({ index }: { index: number }) => (
  <details class="insert">
    <summary aria-label={`Insert before block ${index + 1}`}>
      <Icon name="plus" />
    </summary>
    <div class="actions">
      {BLOCK_TYPES.map((type) => (
        <AddButton type={type} action={`add:${type}:${index}`} name={`Insert ${type} before block ${index + 1}`} />
      ))}
    </div>
  </details>
);

interface AddButtonProps extends Pick<Parameters<typeof Submit>[0], "action" | "name" | "autofocus"> {
  type: BlockType;
}

const AddButton = ({ type, ...button }: AddButtonProps) => (
  <Submit label={toSentence(type)} kind="quiet" icon={type} isUnchecked {...button} />
);

interface ToolProps extends BlockFieldsProps {
  verb: keyof typeof TOOLS;
  disabled?: boolean;
}

const TOOLS = {
  up: { label: "Up", icon: "up" },
  down: { label: "Down", icon: "down" },
  remove: { label: "Remove", icon: "trash" },
} as const;

/** An icon at the right edge of a block that moves or removes it. */
function Tool({ verb, block, index, focus, disabled = false }: ToolProps) {
  const action = `${verb}:${index}`;
  const name = `${TOOLS[verb].label}: block ${index + 1}, ${block.type}`;
  const state = { disabled, autofocus: focus === action };
  return <Submit {...TOOLS[verb]} kind="bare" action={action} name={name} isUnchecked {...state} />;
}
