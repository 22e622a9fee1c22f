import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { MEDIA_TYPE } from '../../../src/protocol/media-type.js';
import { PatternError } from '../../../src/text/index.js';
import { ROOT } from '../../support/server.js';
import { isSlow } from './backtracking.js';

/**
 * Expressions that are slow, or too rich to be judged, and why no client can make them take long.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  'capability/formats/decimal.ts /^(-?)0*(\\d*?)(?:\\.(\\d*?)0*)?$/': 'texts of 256 characters',
  'descriptor/model/column-names.ts /^_+|_+$/g': 'a name of the descriptor',
  'server/config.ts /\\/+$/': 'a setting of the operator',
  'server/config.ts /^\\/+|\\/+$/g': 'a setting of the operator',
  'http/base-url.ts /\\/+$/': 'a setting of the operator',
  'http/base-url.ts /^::ffff:(?=\\d+\\.)/': 'the address of a socket',
  'protocol/dates.ts /0+$/': 'three digits',
  'protocol/json-pointer.ts /~(?![01])/': 'looks at one character',
  'text/search-words.ts /(["\'])((?:\\\\.|(?!\\1)[^\\\\])*)\\1(?=\\s|$)|\\S+/gsu':
    'a quote ends at the next one of its kind, so no two attempts read the same text twice',
};

function expressionsOf(file: string): readonly string[] {
  const found: string[] = [];
  const text = readFileSync(file, 'utf8');
  // Few files have one: the others need not be parsed.
  if (!/[=(,:?[!&|>\s]\/[^/*]/.test(text)) return found;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isSlowOrUnknown(expression: string): boolean {
  const source = expression.slice(1, expression.lastIndexOf('/'));
  try {
    return isSlow(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return true;
  }
}

it('every regular expression of the server takes linear time, or meets no text of a client', () => {
  const folder = join(ROOT, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => expressionsOf(join(folder, file)).map((text) => ({ file, text })));
  expect(found.length).toBeGreaterThan(50);
  const slow = found
    .filter(({ text }) => isSlowOrUnknown(text))
    .map(({ file, text }) => `${file} ${text}`);
  expect([...new Set(slow)].sort()).toEqual(Object.keys(HARMLESS).sort());
});

it('the composed expression of media types takes linear time, too', () => {
  expect(isSlow(MEDIA_TYPE.source)).toBe(false);
});
