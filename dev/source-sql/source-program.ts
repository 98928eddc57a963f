/** The source of the Worker as the compiler sees it: files, calls, declarations, types. */
import path from "node:path";
import {
  type CallExpression,
  type Expression,
  type FunctionLikeDeclaration,
  isCallExpression,
  isPropertyAccessExpression,
  isTaggedTemplateExpression,
  isVariableDeclaration,
  type Node,
  type ShorthandPropertyAssignment,
  type TaggedTemplateExpression,
} from "typescript/unstable/ast";
import { API, type Symbol as Named, type Project, SymbolFlags } from "typescript/unstable/sync";

export class SourceProgram {
  readonly #api: API;
  readonly #project: Project;
  readonly calls: CallExpression[] = [];
  /** Templates with the tag `sql`. */
  readonly templates: TaggedTemplateExpression[] = [];
  readonly #declarations = new Map<Node, Node | null>();
  readonly #callsBySymbol: ReadonlyMap<number, CallExpression[]>;

  /** Opens the project of tsconfig.json in `root`. `folder` is the folder whose calls are read. */
  constructor(root: string, folder: string) {
    this.#api = new API({ cwd: root });
    const [project] = this.#api.updateSnapshot({ openProjects: [path.join(root, "tsconfig.json")] }).getProjects();
    if (!project) throw new Error("there is no project");
    this.#project = project;
    const visit = (node: Node): void => {
      if (isCallExpression(node)) this.calls.push(node);
      if (isTaggedTemplateExpression(node) && node.tag.getText() === "sql") this.templates.push(node);
      node.forEachChild(visit);
    };
    for (const name of project.program.getSourceFileNames()) {
      if (name.startsWith(path.join(root, folder) + path.sep)) project.program.getSourceFile(name)?.forEachChild(visit);
    }
    const names = this.calls.map(({ expression }) =>
      isPropertyAccessExpression(expression) ? expression.name : expression,
    );
    const callees = project.checker.getSymbolAtLocation(names);
    this.#callsBySymbol = groupCalls(this.calls, (_, at) => this.#target(callees[at])?.id);
  }

  close(): void {
    this.#api.close();
  }

  /** Returns the declaration of a name, also when it is imported. */
  declarationOf(node: Node): Node | null {
    const known = this.#declarations.get(node);
    if (known !== undefined) return known;
    const symbol = this.#target(this.#project.checker.getSymbolAtLocation(node));
    const declaration = symbol?.valueDeclaration?.resolve(this.#project) ?? null;
    this.#declarations.set(node, declaration);
    return declaration;
  }

  /** Returns the declaration of the variable that `{ name }` reads. */
  shorthandDeclaration(node: ShorthandPropertyAssignment): Node | null {
    const symbol = this.#project.checker.getShorthandAssignmentValueSymbol(node);
    return this.#target(symbol)?.valueDeclaration?.resolve(this.#project) ?? null;
  }

  /** Returns the calls of a function in the source. */
  callsOf(fn: FunctionLikeDeclaration): readonly CallExpression[] {
    const name = ("name" in fn && fn.name) || (isVariableDeclaration(fn.parent) ? fn.parent.name : undefined);
    const symbol = name && this.#project.checker.getSymbolAtLocation(name);
    return (symbol && this.#callsBySymbol.get(symbol.id)) ?? [];
  }

  /** Returns the type of an expression as the compiler prints it. */
  typeOf(node: Expression): string {
    const { checker } = this.#project;
    const type = checker.getTypeAtLocation(node);
    return type ? checker.typeToString(type) : "";
  }

  #target(symbol: Named | undefined): Named | undefined {
    return symbol && (symbol.flags & SymbolFlags.Alias) !== 0 ? this.#project.checker.getAliasedSymbol(symbol) : symbol;
  }
}

function groupCalls(calls: readonly CallExpression[], keyOf: (call: CallExpression, at: number) => number | undefined) {
  const groups = new Map<number, CallExpression[]>();
  for (const [at, call] of calls.entries()) {
    const key = keyOf(call, at);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return groups;
}
