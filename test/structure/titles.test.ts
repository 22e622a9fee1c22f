import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const FOLDERS = ['test', 'client/test', 'conform/test'];

/** Numbers, letters and labels of a list that a reader can’t look up: "12: ", "3, 4: ". */
const LABEL = /^(?:[A-Z]{0,2}\d+(?:\.\d+)*(?:(?:,| to| and) \d+(?:\.\d+)*)*|[A-Z])[:.] /;

/** A clause in the place of the subject. */
const RELATIVE = /^(?:(?:what|who|which)(?:ever)?|whose|those (?:that|which|who))\b/i;

/** Matches in every file that has such a title: only these are parsed. */
const SUSPICION = new RegExp(`['"\`](?:${LABEL.source.slice(1)}|${RELATIVE.source.slice(1)})`, 'i');

/** Returns the paths of the code of the tests; golden/ has only what other programs read. */
function listTestFiles(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.ts') && !file.startsWith('test/golden/')),
  );
}

/** Returns the text of a literal; of a template, what is in front of its first value. */
function textOf(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.head.text : undefined;
}

/** Returns true for `it(...)`, `describe.each(...)(...)` and all other forms of them. */
function isTest(call: ts.CallExpression): boolean {
  let callee: ts.Node = call.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) {
    callee = callee.expression;
  }
  return ts.isIdentifier(callee) && ['describe', 'it', 'test'].includes(callee.text);
}

/** Returns a message for each title, and each name of a table's row, that breaks a rule. */
function judgeTitles(file: string, text: string): readonly string[] {
  if (!SUSPICION.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isTitled = ts.isCallExpression(node) && isTest(node);
    const first = isTitled
      ? node.arguments[0]
      : ts.isArrayLiteralExpression(node)
        ? node.elements[0]
        : undefined;
    const title = textOf(first) ?? '';
    if (first !== undefined && (LABEL.test(title) || (isTitled && RELATIVE.test(title)))) {
      const { line } = source.getLineAndCharacterOfPosition(first.getStart(source));
      found.push(`${file}:${line + 1} ${title}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('a title begins with its subject or an RFC’s section, and with no number of a case', () => {
  const found = listTestFiles().flatMap((file) =>
    judgeTitles(file, readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(found, 'Write "a sentence" or "RFC 8620 5.3: a sentence".').toEqual([]);
});

it.each([
  ["it('no ids is nothing', f);", []],
  ["it('RFC 8620 5.1: no ids is nothing', f);", []],
  ["it('163: no ids is nothing', f);", ['a.ts:1 163: no ids is nothing']],
  ["it('78, 80: order', f);", ['a.ts:1 78, 80: order']],
  ["it('368 to 376: order', f);", ['a.ts:1 368 to 376: order']],
  ["it.each(rows)('5.3: %s', f);", ['a.ts:1 5.3: %s']],
  ["it.each([['a range'],\n ['453: a range']])('%s', f);", ['a.ts:2 453: a range']],
  ["describe('B4.1: Blob/upload', f);", ['a.ts:1 B4.1: Blob/upload']],
  ["describe.skipIf(a)('2. Note', f);", ['a.ts:1 2. Note']],
  ['test(`B: a blob`, f);', ['a.ts:1 B: a blob']],
  ["it('what is refused', f);", ['a.ts:1 what is refused']],
  ["call('what is refused', f);", []],
])('%s is judged by its title', (text, found) => {
  expect(judgeTitles('a.ts', text)).toEqual(found);
});
