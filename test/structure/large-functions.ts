import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

/** The most that a function may have: lines, its signature included, and parameters. */
export const MOST = Object.freeze({ lines: 60, parameters: 4 });

export interface Size {
  readonly lines?: number;
  readonly parameters?: number;
}

/**
 * Each function of a folder that is larger than it may be, with what is too large, by the names of
 * its file and of itself. (No two files have one name, but for those of the two databases.)
 */
export function largeFunctions(root: string, folder: string): Readonly<Record<string, Size>> {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => `${folder}/${file}`)
    .sort();
  const all = files.flatMap((file) => largeOf(root, file));
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function largeOf(root: string, file: string): readonly (readonly [string, Size])[] {
  const text = readFileSync(join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: (readonly [string, Size])[] = [];
  const visit = (node: ts.Node): void => {
    const size = ts.isFunctionLike(node) ? tooLarge(source, node) : {};
    if (Object.keys(size).length > 0) found.push([`${basename(file)} ${nameOf(node)}`, size]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function tooLarge(source: ts.SourceFile, node: ts.SignatureDeclaration): Size {
  const line = (at: number): number => source.getLineAndCharacterOfPosition(at).line;
  const lines = line(node.getEnd()) - line(node.getStart(source)) + 1;
  const parameters = node.parameters.length;
  return {
    ...('body' in node && lines > MOST.lines && { lines }),
    ...(parameters > MOST.parameters && { parameters }),
  };
}

/**
 * Returns the name of a function, with its class's name; or the name of the variable or member that
 * holds it.
 */
function nameOf(node: ts.Node): string {
  const owner = node.parent;
  const { name } = node as ts.NamedDeclaration;
  const own = ts.isConstructorDeclaration(node) ? 'constructor' : name?.getText();
  const isMember = ts.isClassLike(owner) || ts.isInterfaceDeclaration(owner);
  if (own !== undefined) return isMember ? `${owner.name?.text ?? ''}.${own}` : own;
  return ts.isSourceFile(owner) ? 'function' : nameOf(owner);
}
