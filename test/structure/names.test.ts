import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const FOLDERS = ['bench', 'bin', 'client', 'conform', 'scripts', 'src', 'test'];

/** Folders that mirror each other: a file of one has the name of its twin in the other. */
const MIRRORS = ['sqlite', 'postgresql'];

/** Names that every folder may have. */
const EVERYWHERE = new Set(['README.md', 'index.ts']);

/** Words that don't say what a file or a function does. */
const VAGUE = [
  ...['brief', 'doomed', 'foresight', 'moment', 'plain', 'proposal', 'redo', 'rest'],
  ...['settlement', 'taken', 'told', 'turns', 'wanted'],
];

/** Matches in every file that has such a function: only these are parsed. */
const SUSPICION = new RegExp(`\\b(?:${VAGUE.join('|')})(?![a-z])\\w*[?!]?\\s*[(<:=]`);

/** Returns the paths of all files of a folder. */
function filesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

/** Returns the words of a name: `readRows`, `read-rows.ts` and `READ_ROWS` begin with "read". */
function wordsOf(name: string): readonly string[] {
  const apart = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ');
  return apart.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/** Returns the functions of a file that may have a vague name, with the methods and variables. */
function functionsOf(file: string): readonly { readonly at: string; readonly name: string }[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (!SUSPICION.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: { at: string; name: string }[] = [];
  const visit = (node: ts.Node): void => {
    const { name, initializer } = node as ts.VariableDeclaration;
    const isFunction = ts.isFunctionLike(node) || (initializer && ts.isFunctionLike(initializer));
    if (isFunction && name !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(name.getStart(source));
      found.push({ at: `${file}:${line + 1}`, name: name.getText(source) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('a file name is unique within src/, but for the folders of the two databases', () => {
  const folders = new Map<string, string[]>();
  for (const file of filesOf('src')) {
    const name = basename(file);
    const mirrored = file.split('/').map((part) => (MIRRORS.includes(part) ? '*' : part));
    const twins = folders.get(name) ?? [];
    if (!EVERYWHERE.has(name)) folders.set(name, [...new Set([...twins, mirrored.join('/')])]);
  }
  const repeated = [...folders.values()].filter((paths) => paths.length > 1);
  const advice = 'Files of one name: rename all but one, each by what it holds (* is a database).';
  expect(repeated, advice).toEqual([]);
});

it('no file has a name with a word that doesn’t say what it holds', () => {
  const vague = FOLDERS.flatMap(filesOf).filter((file) =>
    wordsOf(basename(file)).some((word) => VAGUE.includes(word)),
  );
  expect(vague).toEqual([]);
});

it('no function has a name that begins with a word which doesn’t say what it does', () => {
  const vague = FOLDERS.flatMap(filesOf)
    .filter((file) => /(?<!\.d)\.(ts|mts|mjs)$/.test(file))
    .flatMap(functionsOf)
    .filter(({ name }) => VAGUE.includes(wordsOf(name)[0] ?? ''))
    .map(({ at, name }) => `${at} ${name}`);
  expect(vague).toEqual([]);
});
