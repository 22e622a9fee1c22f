import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/server.js';

/**
 * The public surface of the package: what its package.json hands out, and a hash for each name that
 * a typed entry exports. The hash is of its declaration and of all declarations of ours that it is
 * made of.
 */
export interface Surface {
  readonly exports: unknown;
  readonly bin: unknown;
  readonly names: Readonly<Record<string, string>>;
}

const ENTRY = 'src/capability/index.ts';

export function readSurface(): Surface {
  const { exports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Surface;
  return { exports, bin, names: namesOf(join(ROOT, ENTRY)) };
}

/** Short enough for a line of CHANGELOG.md. */
export function fingerprint(surface: Surface): string {
  return hashOf([JSON.stringify(surface)]).slice(0, 8);
}

function namesOf(file: string): Record<string, string> {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) =>
    readFileSync(path, 'utf8'),
  );
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const program = ts.createProgram([file], { ...options, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module.`);
  const names = checker.getExportsOfModule(module).map((symbol) => {
    const texts = new Map<ts.Node, string>();
    collect(resolved(symbol, checker), checker, texts);
    return [symbol.name, hashOf([...texts.values()].sort()).slice(0, 12)] as const;
  });
  return Object.fromEntries(names.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function resolved(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/**
 * Adds a symbol's declarations, and those of every name in them, as far as they are this project's.
 */
function collect(symbol: ts.Symbol, checker: ts.TypeChecker, texts: Map<ts.Node, string>): void {
  for (const declaration of symbol.declarations ?? []) {
    const source = declaration.getSourceFile();
    if (source.fileName.includes('/node_modules/') || !isTopLevel(declaration)) continue;
    if (texts.has(declaration)) continue;
    texts.set(declaration, textOf(declaration, checker));
    visit(declaration, (name) => {
      const used = checker.getSymbolAtLocation(name);
      if (used !== undefined) collect(resolved(used, checker), checker, texts);
    });
  }
}

/** Members and parameters are part of the declaration that holds them. */
function isTopLevel(declaration: ts.Node): boolean {
  const holder = ts.isVariableDeclaration(declaration)
    ? declaration.parent.parent.parent
    : declaration.parent;
  return holder !== undefined && ts.isSourceFile(holder);
}

/** Names in what others see: function bodies and private members are not. */
function visit(node: ts.Node, found: (name: ts.Identifier) => void): void {
  if (ts.isBlock(node)) return;
  if (ts.isIdentifier(node)) found(node);
  ts.forEachChild(node, (child) => visit(child, found));
}

const printer = ts.createPrinter({ removeComments: true });

const NO_TRUNCATION = ts.TypeFormatFlags.NoTruncation;

/** A declaration without the bodies of its functions; of a constant its type. */
function textOf(declaration: ts.Node, checker: ts.TypeChecker): string {
  if (ts.isVariableDeclaration(declaration)) {
    const type = checker.getTypeAtLocation(declaration);
    return (
      `const ${declaration.name.getText()}: ` +
      `${checker.typeToString(type, declaration, NO_TRUNCATION)}`
    );
  }
  const { transformed } = ts.transform(declaration, [withoutBodies]);
  const [first = declaration] = transformed;
  return printer.printNode(ts.EmitHint.Unspecified, first, declaration.getSourceFile());
}

function withoutBodies(context: ts.TransformationContext): ts.Transformer<ts.Node> {
  const strip = (node: ts.Node): ts.Node | undefined =>
    ts.isBlock(node) ? undefined : ts.visitEachChild(node, strip, context);
  return (node) => ts.visitEachChild(node, strip, context);
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}
