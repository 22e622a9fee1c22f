import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const CALL = new RegExp(`log\\.(?:${LEVELS.join('|')})\\(`, 'i');

/** Returns `level: message` for each log message of the page, which lists them by level. */
function listRows(): readonly string[] {
  const page = readFileSync(join(ROOT, 'docs/reference/operations.md'), 'utf8');
  const section = /^## Logs$(.*?)^## /ms.exec(page)?.[1] ?? '';
  return section.split(/^(?=\*\*\w+\*\*$)/m).flatMap((part) => {
    const [, level] = /^\*\*(\w+)\*\*$/m.exec(part) ?? [];
    return Array.from(part.matchAll(/^- `([^`]+)`/gm), ([, message]) => `${level}: ${message}`);
  });
}

/** Returns `level: message` for each call of a log in the server's sources. */
function listCalls(): readonly string[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src/*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return files
    .trim()
    .split('\n')
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      if (!CALL.test(text)) return [];
      return listCallsOf(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
    });
}

function listCallsOf(source: ts.SourceFile): readonly string[] {
  const constants = new Map<string, ts.Expression>();
  const calls: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer !== undefined)
      constants.set(node.name.getText(), node.initializer);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      const [fields, message] = node.arguments;
      if (/log$/i.test(expression.getText()) && LEVELS.includes(name.text))
        calls.push(`${name.text}: ${readText(message ?? fields, constants)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

/** Returns the text of a literal, of a sum of literals, or of a constant that is one. */
function readText(
  node: ts.Expression | undefined,
  constants: ReadonlyMap<string, ts.Expression>,
): string {
  if (node !== undefined && ts.isStringLiteralLike(node)) return node.text;
  if (node !== undefined && ts.isBinaryExpression(node))
    return readText(node.left, constants) + readText(node.right, constants);
  const constant = node !== undefined && ts.isIdentifier(node) && constants.get(node.text);
  if (constant) return readText(constant, new Map());
  throw new Error(`A log message is no literal: ${node?.getText() ?? 'none'}.`);
}

it('docs/reference/operations.md lists each message that the server logs, and no other', () => {
  const calls = listCalls();
  expect(calls.length).toBeGreaterThan(20);
  expect([...listRows()].sort()).toEqual([...new Set(calls)].sort());
});
