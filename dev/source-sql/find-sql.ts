/** Finds every statement that the source prepares with SQL, and the kind of database it is prepared on. */
import path from "node:path";
import { type Expression, isPropertyAccessExpression, type Node } from "typescript/unstable/ast";
import { inEveryWorld } from "./constant-values.ts";
import { SourceProgram } from "./source-program.ts";

export interface RawStatement {
  /** Path of the file and text of the expression, for messages. */
  place: string;
  /** `both`: the source prepares it on a database of either kind. */
  kind: "main" | "mail" | "both";
  /** Null if it depends on more than constants. */
  sql: string | null;
}

const KINDS: Readonly<Record<string, RawStatement["kind"]>> = {
  MainDatabase: "main",
  'Database<"main">': "main",
  MailDatabase: "mail",
  'Database<"mail">': "mail",
};

export interface SourceSql {
  statements: RawStatement[];
  /** SQL templates of the query builder. */
  templates: { place: string; text: string }[];
  /** Calls that run such a template directly, with the type of the query builder. */
  runs: { place: string; type: string }[];
}

/** Returns the SQL in the folder src: the statements of each call of `prepare`, and the templates of the query builder. */
export function findSql(root: string): SourceSql {
  const program = new SourceProgram(root, "src");
  try {
    const receivers = (method: string) =>
      program.calls.flatMap(({ expression, arguments: args }) =>
        isPropertyAccessExpression(expression) && expression.name.text === method && args[0]
          ? [{ receiver: expression.expression, sql: args[0] }]
          : [],
      );
    const runs = receivers("all").map(({ receiver }) => ({
      place: placeOf(root, receiver),
      type: program.typeOf(receiver),
    }));
    return {
      statements: receivers("prepare").flatMap(({ receiver, sql }) => formsOf(program, root, receiver, sql)),
      templates: program.templates.map((node) => ({ place: placeOf(root, node), text: node.template.getText() })),
      runs: runs.filter(({ type }) => type.startsWith("Orm<")),
    };
  } finally {
    program.close();
  }
}

const placeOf = (root: string, node: Node) =>
  `${path.relative(root, node.getSourceFile().fileName)}: ${node.getText()}`;

function formsOf(program: SourceProgram, root: string, receiver: Expression, sql: Expression): RawStatement[] {
  const place = placeOf(root, sql);
  const forms = inEveryWorld(program, (world): RawStatement => {
    const value = world.valueOf(sql);
    const passed = world.argumentFor(receiver);
    const kind = KINDS[program.typeOf(receiver)] ?? (passed && KINDS[program.typeOf(passed)]) ?? "both";
    return { place, kind, sql: typeof value === "string" ? value : null };
  });
  return [...new Map(forms.map((form) => [`${form.kind} ${form.sql}`, form])).values()];
}
