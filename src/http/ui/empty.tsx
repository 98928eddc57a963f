import type { Child } from "hono/jsx";
import { ButtonLine } from "./buttons.tsx";
import { Code } from "./code.tsx";
import { useCaller } from "./viewer.tsx";

/** Line drawings of 120 by 80 px. The part with the class `lit` has the accent colour. */
const DRAWINGS = {
  chart: { ink: "M18 12v54h86M30 54l16-12 14 6 18-22", lit: "M78 26l18-10M90 14l6 2-1 6" },
  domain: {
    ink: "M60 68a28 28 0 1 0 0-56 28 28 0 0 0 0 56zM32 40h56M60 12c10 10 12 19 12 28s-2 18-12 28M60 12C50 22 48 31 48 40s2 18 12 28",
    lit: "M80 60l7 7 14-16",
  },
  mail: { ink: "M28 24h64v42H28zM28 28l32 22 32-22M12 36h8M8 46h12M14 56h6", lit: "M84 12l6 6 12-13" },
  people: {
    ink: "M48 36a11 11 0 1 0 0-22 11 11 0 0 0 0 22zM26 66c1-13 10-20 22-20s21 7 22 20M76 17a10 10 0 0 1 0 19M82 48c7 3 11 9 12 18",
    lit: "M96 18v14M89 25h14",
  },
  plug: {
    ink: "M14 40h20M34 28h14a12 12 0 0 1 0 24H34zM106 40H92M92 28H80M92 52H80M92 26v28",
    lit: "M66 32v4M66 44v4M66 20v4M66 56v4",
  },
  search: { ink: "M54 58a22 22 0 1 0 0-44 22 22 0 0 0 0 44zM70 52l20 18M42 30h24M42 38h16", lit: "M92 22h10M97 17v10" },
  template: { ink: "M34 10h52v60H34zM42 20h36v14H42zM42 42h22M42 50h16M42 58h20", lit: "M96 40v14M89 47h14" },
} as const;

export type DrawingName = keyof typeof DRAWINGS;

/** A line drawing for a page without rows. It says nothing that the text does not. */
export const Drawing = ({ name }: { name: DrawingName }) => (
  <svg class="drawing" viewBox="0 0 120 80" aria-hidden="true">
    <path d={DRAWINGS[name].ink} />
    <path class="lit" d={DRAWINGS[name].lit} />
  </svg>
);

interface EmptyProps {
  children?: Child;
  /** Default: an envelope. */
  drawing?: DrawingName;
  /** A link to the next step. `isMain`: the page has no other main button. */
  action?: { href: string; label: string; isMain?: boolean } | undefined;
  /** The call of the API that does it. `body`: a file such as `@email.json`, or fields without an apostrophe. */
  command?: { path: string; body: `@${string}` | Readonly<Record<string, unknown>> };
}

/** Shows that a list has no rows. */
export const Empty = ({ children, drawing = "mail", action, command }: EmptyProps) => (
  <div class="empty">
    <Drawing name={drawing} />
    <p>{children}</p>
    {action ? <ButtonLine to={action.href} label={action.label} {...(action.isMain ? {} : { kind: "quiet" })} /> : null}
    {command ? <Curl {...command} /> : null}
  </div>
);

const Curl = ({ path, body }: NonNullable<EmptyProps["command"]>) => {
  const json = typeof body === "string" ? body : `'${JSON.stringify(body)}'`;
  return (
    <div class="command">
      <Code
        label="The command"
        text={`curl ${useCaller().settings.publicUrl}${path} \\\n  -H "Authorization: Bearer $KEY" \\\n  --json ${json}`}
      />
    </div>
  );
};
