import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import type { ts as TypeScript } from 'ts-morph';
import type { Location, Problem } from '../../../src/descriptor/model.js';
import { movedModule } from '../load/moved.js';
import { ts } from '../ts-morph.js';
import { readIfThere } from '../write/manifest.js';

/** Endings of a specifier, each with those of the sources that it may stand for. */
const SOURCES: Readonly<Record<string, readonly string[]>> = Object.freeze({
  '.js': ['.js', '.ts', '.tsx'],
  '.mjs': ['.mjs', '.mts'],
  '.cjs': ['.cjs', '.cts'],
  // The compiler writes .js in its place.
  '.ts': ['.ts'],
  '.mts': ['.mts'],
  '.json': ['.json'],
});

/** The endings that a specifier may lack. */
const ENDINGS: readonly string[] = ['.js', '.mjs', '/index.js', '/index.mjs'];

/**
 * Returns problems of the imports of a hook file and of the team's files that it imports. An import
 * may lead to a file that is no longer generated: a warning. Or TypeScript finds the file and Node
 * does not: `./helper` instead of `./helper.js`. The compiler resolves as bundlers do, since a
 * project need not be of ES modules; so the server would not start.
 */
export function importProblems(root: string, file: string): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const visit = (path: string): void => {
    // Generated files import files that are there.
    if (seen.has(path) || /^(?:\.\.|generated\/)/.test(path)) return;
    seen.add(path);
    const text = readIfThere(join(root, path));
    if (text === null) return;
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
    for (const { specifier, isTypeOnly } of specifiersIn(source)) {
      const target = join(dirname(path), specifier.text);
      const old = movedModule(locationOf(source, specifier), target, specifier.text);
      problems.push(...old);
      if (isTypeOnly || old.length > 0) continue;
      const found = sourceOf(root, target);
      if (found !== undefined) {
        if (/\.[cm]?tsx?$/.test(found)) visit(found);
        continue;
      }
      const ending = ENDINGS.find((each) => sourceOf(root, target + each) !== undefined);
      if (ending !== undefined) problems.push(problem(source, specifier, ending));
    }
  };
  visit(file);
  return problems;
}

function problem(
  source: TypeScript.SourceFile,
  specifier: TypeScript.StringLiteralLike,
  ending: string,
): Problem {
  const mended = specifier.text.replace(/\/$/, '') + ending;
  return {
    at: locationOf(source, specifier),
    code: 'hook-import',
    message:
      `Node finds no module '${specifier.text}': write '${mended}'. A relative import names the ` +
      'whole file.',
  };
}

function locationOf(source: TypeScript.SourceFile, node: TypeScript.Node): Location {
  const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return { file: source.fileName, line: line + 1, column: character + 1 };
}

/** Returns the source whose compiled file Node imports by a path; undefined if there is none. */
function sourceOf(root: string, path: string): string | undefined {
  const ending = /\.[a-z]+$/.exec(path)?.[0] ?? '';
  const base = path.slice(0, path.length - ending.length);
  return (SOURCES[ending] ?? [])
    .map((each) => base + each)
    .find((each) => isFile(join(root, each)));
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

interface Specifier {
  readonly specifier: TypeScript.StringLiteralLike;
  /** The import is not there at run time. */
  readonly isTypeOnly: boolean;
}

/** Returns the relative specifiers of imports and re-exports, dynamic imports included. */
function specifiersIn(source: TypeScript.SourceFile): readonly Specifier[] {
  const found: Specifier[] = [];
  const add = (node: TypeScript.Node | undefined, isTypeOnly = false): void => {
    if (node !== undefined && ts.isStringLiteralLike(node) && /^\.{1,2}(\/|$)/.test(node.text))
      found.push({ specifier: node, isTypeOnly });
  };
  const visit = (node: TypeScript.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.isTypeOnly === true);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
