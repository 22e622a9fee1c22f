import type { ts as TypeScript } from 'ts-morph';
import type { Location } from '../../../src/descriptor/model.js';
import { ts } from '../ts-morph.js';

/** The content of a hook file, as far as it can be told without running it. */
export type HookNode =
  | {
      readonly kind: 'object';
      readonly members: ReadonlyMap<string, HookMember>;
      /** It has members that only running it would tell (`...rest`, `[computed]`). */
      readonly open: boolean;
    }
  | { readonly kind: 'other' };

export interface HookMember {
  readonly at: Location;
  readonly node: HookNode;
}

export interface HookFile {
  /** Relative to the project's root, with `/`. */
  readonly file: string;
  readonly text: string;
  /** The exported constant, `hooks`; null where there is none. */
  readonly hooks: HookNode | null;
  readonly syntaxErrors: readonly { readonly at: Location; readonly message: string }[];
}

/**
 * Parses a hook file, or another one that exports a constant of a `name`; nothing of it is
 * executed, no type is checked.
 */
export function parseHookFile(file: string, text: string, name = 'hooks'): HookFile {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const constants = constantsOf(source);
  const hooks = constants.get(name);
  const exported = hooks !== undefined && isExported(hooks, source, name);
  return {
    file,
    text,
    hooks: exported ? new Reader(source, constants).node(hooks.initializer) : null,
    syntaxErrors: diagnosticsOf(source).map(({ start, messageText }) => ({
      at: placeOf(source, start ?? 0),
      message: ts.flattenDiagnosticMessageText(messageText, ' '),
    })),
  };
}

/** Follows names to constants of the same file, and looks through what TypeScript wraps around. */
class Reader {
  readonly #source: TypeScript.SourceFile;
  readonly #constants: ReadonlyMap<string, TypeScript.VariableDeclaration>;

  constructor(
    source: TypeScript.SourceFile,
    constants: ReadonlyMap<string, TypeScript.VariableDeclaration>,
  ) {
    this.#source = source;
    this.#constants = constants;
  }

  node(expression: TypeScript.Expression | undefined, depth = 0): HookNode {
    if (expression === undefined || depth > 8) return { kind: 'other' };
    if (
      ts.isSatisfiesExpression(expression) ||
      ts.isAsExpression(expression) ||
      ts.isParenthesizedExpression(expression)
    )
      return this.node(expression.expression, depth);
    if (ts.isCallExpression(expression)) {
      const argument = expression.arguments[0];
      return argument !== undefined && ts.isObjectLiteralExpression(argument)
        ? this.node(argument, depth)
        : { kind: 'other' };
    }
    if (ts.isIdentifier(expression)) {
      const constant = this.#constants.get(expression.text);
      return this.node(constant?.initializer, depth + 1);
    }
    if (!ts.isObjectLiteralExpression(expression)) return { kind: 'other' };
    return this.#object(expression, depth);
  }

  #object(literal: TypeScript.ObjectLiteralExpression, depth: number): HookNode {
    const members = new Map<string, HookMember>();
    let open = false;
    for (const property of literal.properties) {
      const name = property.name === undefined ? null : nameOf(property.name);
      if (name === null) {
        open = true;
        continue;
      }
      const at = placeOf(this.#source, property.getStart(this.#source));
      if (ts.isPropertyAssignment(property))
        members.set(name, { at, node: this.node(property.initializer, depth + 1) });
      else if (ts.isShorthandPropertyAssignment(property))
        members.set(name, { at, node: this.node(property.name, depth + 1) });
      else members.set(name, { at, node: { kind: 'other' } });
    }
    return { kind: 'object', members, open };
  }
}

function constantsOf(
  source: TypeScript.SourceFile,
): ReadonlyMap<string, TypeScript.VariableDeclaration> {
  const constants = new Map<string, TypeScript.VariableDeclaration>();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const declaration of statement.declarationList.declarations) {
      if (ts.isIdentifier(declaration.name)) constants.set(declaration.name.text, declaration);
    }
  }
  return constants;
}

/** Returns whether it is `export const hooks`, or there is an `export { hooks }`. */
function isExported(
  declaration: TypeScript.VariableDeclaration,
  source: TypeScript.SourceFile,
  wanted: string,
): boolean {
  const statement = declaration.parent.parent;
  if (ts.isVariableStatement(statement)) {
    const modifiers = statement.modifiers ?? [];
    if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return true;
  }
  return source.statements.some(
    (other) =>
      ts.isExportDeclaration(other) &&
      other.exportClause !== undefined &&
      ts.isNamedExports(other.exportClause) &&
      other.exportClause.elements.some(({ name }) => name.text === wanted),
  );
}

function nameOf(name: TypeScript.PropertyName): string | null {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return name.text;
  return null;
}

function placeOf(source: TypeScript.SourceFile, position: number): Location {
  const { line, character } = source.getLineAndCharacterOfPosition(position);
  return { file: source.fileName, line: line + 1, column: character + 1 };
}

/** Returns what could not be parsed: the compiler keeps it, though its types don't say so. */
function diagnosticsOf(
  source: TypeScript.SourceFile,
): readonly TypeScript.DiagnosticWithLocation[] {
  const { parseDiagnostics } = source as unknown as {
    readonly parseDiagnostics?: readonly TypeScript.DiagnosticWithLocation[];
  };
  return parseDiagnostics ?? [];
}
