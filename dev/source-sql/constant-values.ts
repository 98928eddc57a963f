/**
 * Evaluates expressions of the source without running it: constants, templates, functions that return them. Where the
 * value depends on a condition, on a call or on an item of a list, each choice is tried.
 */
import {
  type BinaryExpression,
  type BindingElement,
  type CallExpression,
  type ElementAccessExpression,
  type Expression,
  isArrayBindingPattern,
  isArrayLiteralExpression,
  isAsExpression,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isForOfStatement,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSpreadElement,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type ObjectLiteralExpression,
  type ParameterDeclaration,
  SyntaxKind,
} from "typescript/unstable/ast";
import type { SourceProgram } from "./source-program.ts";
import {
  Closure,
  concatenate,
  isObject,
  itemsOf,
  objectMethods,
  property,
  type Scope,
  UNKNOWN,
  type Value,
} from "./values.ts";

const TOP: Scope = new Map();
const MAX_DEPTH = 60;
const MAX_WORLDS = 1000;

/** Returns what `evaluate` returns for each combination of choices. */
export function inEveryWorld<Result>(program: SourceProgram, evaluate: (world: World) => Result): Result[] {
  const results: Result[] = [];
  for (let path: number[] | null = []; path && results.length < MAX_WORLDS; ) {
    const world: World = new World(program, path);
    results.push(evaluate(world));
    path = world.nextPath();
  }
  return results;
}

/** One combination of choices. A choice is made once, so that two uses of a variable have the same value. */
export class World {
  readonly #program: SourceProgram;
  readonly #path: readonly number[];
  readonly #made: { at: number; options: number }[] = [];
  readonly #choices = new Map<Scope, Map<Node, number>>();
  #depth = 0;

  constructor(program: SourceProgram, path: readonly number[]) {
    this.#program = program;
    this.#path = path;
  }

  /** Returns the choices of the next world, or null after the last one. */
  nextPath(): number[] | null {
    const last = this.#made.findLastIndex(({ at, options }) => at + 1 < options);
    return last < 0 ? null : this.#made.slice(0, last + 1).map(({ at }, index) => (index === last ? at + 1 : at));
  }

  /** Returns the value of an expression. */
  valueOf(node: Expression, scope: Scope = TOP): Value {
    if (this.#depth >= MAX_DEPTH) return UNKNOWN;
    this.#depth += 1;
    try {
      return this.#evaluate(node, scope);
    } finally {
      this.#depth -= 1;
    }
  }

  /** Returns the expression that a call passes for a parameter, or null for any other expression. */
  argumentFor(node: Expression): Expression | null {
    const declaration = isIdentifier(node) ? this.#program.declarationOf(node) : null;
    if (!declaration || !isParameterDeclaration(declaration)) return null;
    const { call, at } = this.#callFor(declaration);
    return call?.arguments[at] ?? null;
  }

  #choose<Option>(node: Node, scope: Scope, options: readonly Option[]): Option | undefined {
    if (options.length < 2) return options[0];
    const known = this.#choices.get(scope) ?? new Map<Node, number>();
    this.#choices.set(scope, known);
    const at = known.get(node) ?? this.#path[this.#made.length] ?? 0;
    if (!known.has(node)) this.#made.push({ at, options: options.length });
    known.set(node, at);
    return options[at];
  }

  #evaluate(node: Expression, scope: Scope): Value {
    const of = (part: Expression) => this.valueOf(part, scope);
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
    if (isNumericLiteral(node)) return Number(node.text);
    if (isParenthesizedExpression(node) || isAsExpression(node) || isSatisfiesExpression(node))
      return of(node.expression);
    if (isConditionalExpression(node)) return of(this.#choose(node, scope, [node.whenTrue, node.whenFalse]) ?? node);
    if (isIdentifier(node)) return node.text === "undefined" ? undefined : this.#ofName(node, scope);
    if (isFunctionLikeDeclaration(node)) return new Closure(node, scope);
    if (isArrayLiteralExpression(node))
      return node.elements.flatMap((item): Value[] =>
        isSpreadElement(item) ? itemsOf(of(item.expression)) : [of(item)],
      );
    if (isTemplateExpression(node)) {
      const spans = node.templateSpans.flatMap(({ expression, literal }): Value[] => [of(expression), literal.text]);
      return concatenate([node.head.text, ...spans]);
    }
    if (isBinaryExpression(node)) return this.#ofOperator(node, scope);
    if (isObjectLiteralExpression(node)) return this.#ofObject(node, scope);
    if (isPropertyAccessExpression(node)) return property(of(node.expression), node.name.text);
    if (isElementAccessExpression(node)) return this.#ofElement(node, scope);
    return isCallExpression(node) ? this.#ofCall(node, scope) : UNKNOWN;
  }

  #ofOperator(node: BinaryExpression, scope: Scope): Value {
    const [left, right] = [node.left, node.right];
    const values = (): Value[] => [this.valueOf(left, scope), this.valueOf(right, scope)];
    switch (node.operatorToken.kind) {
      case SyntaxKind.PlusToken:
        return concatenate(values());
      case SyntaxKind.AsteriskToken: {
        const [a, b] = values();
        return typeof a === "number" && typeof b === "number" ? a * b : UNKNOWN;
      }
      case SyntaxKind.BarBarToken:
      case SyntaxKind.QuestionQuestionToken:
        return this.valueOf(this.#choose(node, scope, [left, right]) ?? left, scope);
      default:
        return UNKNOWN;
    }
  }

  #ofObject({ properties }: ObjectLiteralExpression, scope: Scope): Value {
    const object: { [key: string]: Value } = {};
    for (const member of properties) {
      if (!isPropertyAssignment(member) && !isShorthandPropertyAssignment(member)) return UNKNOWN;
      const name = "text" in member.name ? member.name.text : member.name.getText();
      const declaration = isShorthandPropertyAssignment(member) && this.#program.shorthandDeclaration(member);
      object[name] = isPropertyAssignment(member)
        ? this.valueOf(member.initializer, scope)
        : declaration
          ? this.#ofDeclaration(declaration, scope)
          : UNKNOWN;
    }
    return object;
  }

  /** An item of a list or object, by its key or else each of them. */
  #ofElement(node: ElementAccessExpression, scope: Scope): Value {
    const object = this.valueOf(node.expression, scope);
    const key = this.valueOf(node.argumentExpression, scope);
    if (key !== UNKNOWN) return property(object, String(key));
    return isObject(object) ? this.#choose(node, scope, Object.values(object)) : UNKNOWN;
  }

  #ofName(node: Node, scope: Scope): Value {
    const declaration = this.#program.declarationOf(node);
    return declaration ? this.#ofDeclaration(declaration, scope) : UNKNOWN;
  }

  #ofDeclaration(node: Node, scope: Scope): Value {
    if (isFunctionDeclaration(node)) return new Closure(node, TOP);
    if (isParameterDeclaration(node)) return this.#ofParameter(node, scope);
    if (isBindingElement(node)) return this.#ofBinding(node, scope);
    if (!isVariableDeclaration(node)) return UNKNOWN;
    if (node.initializer) return this.valueOf(node.initializer, scope);
    const statement = node.parent.parent;
    return isForOfStatement(statement)
      ? this.#choose<Value>(node, scope, itemsOf(this.valueOf(statement.expression, scope)))
      : UNKNOWN;
  }

  #ofBinding(element: BindingElement, scope: Scope): Value {
    const pattern = element.parent;
    const { name, propertyName, initializer } = element;
    const key = isArrayBindingPattern(pattern)
      ? String((pattern.elements as readonly Node[]).indexOf(element))
      : (propertyName ?? name)?.getText();
    const value = property(this.#ofDeclaration(pattern.parent, scope), key ?? "");
    return value === undefined && initializer ? this.valueOf(initializer, scope) : value;
  }

  /** The argument of the call that is evaluated, else that of each call of the function in the source. */
  #ofParameter(parameter: ParameterDeclaration, scope: Scope): Value {
    const { call, at } = this.#callFor(parameter);
    const argument = call?.arguments[at];
    const list = this.#iterated(parameter, scope);
    const value = scope.has(parameter)
      ? scope.get(parameter)
      : list
        ? this.#choose(parameter, scope, list)
        : argument
          ? this.valueOf(argument)
          : call
            ? undefined
            : UNKNOWN;
    return value === undefined && parameter.initializer ? this.valueOf(parameter.initializer, scope) : value;
  }

  /** Chooses a call of the function of a parameter. */
  #callFor(parameter: ParameterDeclaration): { call: CallExpression | undefined; at: number } {
    const fn = parameter.parent;
    if (!isFunctionLikeDeclaration(fn)) return { call: undefined, at: 0 };
    const at = (fn.parameters as readonly Node[]).indexOf(parameter);
    return { call: this.#choose(fn, TOP, this.#program.callsOf(fn)), at };
  }

  /** Returns the list whose items a parameter gets, for a function that is passed to a method of a list. */
  #iterated(parameter: ParameterDeclaration, scope: Scope): Value[] | null {
    const fn = parameter.parent;
    const call = fn.parent;
    if (!isFunctionLikeDeclaration(fn) || fn.parameters[0] !== parameter || !isCallExpression(call)) return null;
    const { expression } = call;
    if (!isPropertyAccessExpression(expression) || !ITERATIONS.has(expression.name.text)) return null;
    return itemsOf(this.valueOf(expression.expression, scope));
  }

  #ofCall(node: CallExpression, scope: Scope): Value {
    const callee = node.expression;
    const values = () => node.arguments.map((argument) => this.valueOf(argument, scope));
    if (isIdentifier(callee)) {
      const fn = this.#ofName(callee, scope);
      return fn instanceof Closure ? this.#apply(fn, values()) : UNKNOWN;
    }
    if (!isPropertyAccessExpression(callee)) return UNKNOWN;
    const method = callee.name.text;
    const [first] = values();
    if (callee.expression.getText() === "Object") return isObject(first) ? objectMethods[method]?.(first) : UNKNOWN;
    const object = this.valueOf(callee.expression, scope);
    if (method === "split") return typeof object === "string" ? object.split(String(first)) : UNKNOWN;
    if (!Array.isArray(object)) return UNKNOWN;
    if (method === "filter") return object;
    if (method === "join")
      return object.includes(UNKNOWN) ? UNKNOWN : object.join(first === undefined ? "," : String(first));
    return method === "map" && first instanceof Closure
      ? object.map((item, at) => this.#apply(first, [item, at]))
      : UNKNOWN;
  }

  #apply({ fn, scope }: Closure, values: Value[]): Value {
    const inner = new Map(scope);
    for (const [at, parameter] of fn.parameters.entries()) inner.set(parameter, values[at]);
    if (!fn.body) return UNKNOWN;
    if (!isBlock(fn.body)) return this.valueOf(fn.body, inner);
    const returned: Expression[] = [];
    const visit = (node: Node): void => {
      if (isReturnStatement(node) && node.expression) returned.push(node.expression);
      else if (!isFunctionLikeDeclaration(node)) node.forEachChild(visit);
    };
    fn.body.forEachChild(visit);
    const expression = this.#choose(fn, inner, returned);
    return expression ? this.valueOf(expression, inner) : UNKNOWN;
  }
}

/** Methods of lists that call a function with each item. */
const ITERATIONS = new Set(["map", "flatMap", "forEach"]);
