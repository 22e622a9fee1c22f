import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import type { ts as TypeScript } from 'ts-morph';
import type { Problem } from '../../../src/descriptor/model.js';
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
 * Imports of a hook file, and of the team's files that it imports, which TypeScript finds and Node
 * does not: `./helper` instead of `./helper.js`. The compiler resolves as bundlers do, since a
 * project need not be of ES modules; so the server would not start.
 */
export function importProblems(root: string, file: string): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path) || path.startsWith('..')) return;
    seen.add(path);
    const text = readIfThere(join(root, path));
    if (text === null) return;
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
    for (const specifier of specifiersIn(source)) {
      const target = join(dirname(path), specifier.text);
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
  const { line, character } = source.getLineAndCharacterOfPosition(specifier.getStart(source));
  const mended = specifier.text.replace(/\/$/, '') + ending;
  return {
    at: { file: source.fileName, line: line + 1, column: character + 1 },
    code: 'hook-import',
    message:
      `Node finds no module '${specifier.text}': write '${mended}'. A relative import names the ` +
      'whole file.',
  };
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

/** Relative specifiers of imports that are there at run time. */
function specifiersIn(source: TypeScript.SourceFile): readonly TypeScript.StringLiteralLike[] {
  const found: TypeScript.StringLiteralLike[] = [];
  const add = (node: TypeScript.Node | undefined): void => {
    if (node !== undefined && ts.isStringLiteralLike(node) && /^\.{1,2}(\/|$)/.test(node.text))
      found.push(node);
  };
  const visit = (node: TypeScript.Node): void => {
    if (ts.isImportDeclaration(node)) {
      if (node.importClause?.isTypeOnly !== true) add(node.moduleSpecifier);
    } else if (ts.isExportDeclaration(node)) {
      if (!node.isTypeOnly) add(node.moduleSpecifier);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
