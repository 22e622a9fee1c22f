import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { FilterNode } from '../../../src/store/port.js';
import { Random } from '../../support/random.js';
import { condition, Gadget, gadgets, operator, plan } from '../gadget.js';
import { referenceIds } from '../reference.js';
import { B, type Bench, idOf } from './bench.js';

export function randomCases(bench: Bench): void {
  const { read, insert, ids } = bench;

  it('agrees with the reference on random filters and sorts, and ranks with queryIds', async () => {
    const random = Random.fromEnvironment();
    // Of one millisecond there are a few each; ids ascend with them.
    const created = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, 0, n >> 3)).toISOString();
    const objects = gadgets(60, (n) => ({ ...randomValues(random), created: created(n) }));
    await insert(objects);
    // Another account's objects must not count.
    await insert(
      gadgets(20, () => randomValues(random)),
      B,
    );
    for (let round = 0; round < 300; round += 1) {
      const query = plan(randomFilter(random, 3), ...randomSort(random));
      const said = `seed ${random.seed}, ${JSON.stringify(query)}`;
      const expected = referenceIds(objects, query);
      expect(await ids(query), said).toEqual(expected);
      const wanted = objects.filter(() => random.chance(0.2)).map(idOf);
      const ranks = await read((snapshot) => snapshot.ranks(Gadget, query, wanted));
      const places = expected
        .map((id, index) => ({ id, index }))
        .filter(({ id }) => wanted.includes(id));
      expect(ranks, said).toEqual(places);
      const id = random.pick(objects).id;
      const rank = await read((snapshot) => snapshot.rank(Gadget, query, id));
      expect(rank, said).toBe(expected.includes(id) ? expected.indexOf(id) : null);
      if (round % 5 > 0) continue;
      // A few ids may be compared with each object, more are numbered: two statements, one answer.
      const few = [0, 16, 32, 48].map((from) => objects.slice(from, from + 16).map(idOf));
      const counted = await Promise.all(
        few.map((some) => read((snapshot) => snapshot.ranks(Gadget, query, some))),
      );
      const whole = expected.map((each, index) => ({ id: each, index }));
      expect(
        counted.flat().toSorted((a, b) => a.index - b.index),
        said,
      ).toEqual(whole);
      const all = objects.map(idOf);
      expect(await read((snapshot) => snapshot.ranks(Gadget, query, all)), said).toEqual(whole);
    }
  });
}

const TEXTS = ['', 'a', 'A', 'ä', 'Ä', 'a\u0308', 'ß', 'SS', '10', '9', '007', 'x10', '😀', '_%'];
const WORDS = [
  'Москва',
  'МОСКВЕ',
  'скв',
  '東京都',
  '京都',
  '都',
  '"quote"',
  "it's",
  'AND',
  'OR NOT',
  'NEAR(a b)',
  '😀😃😄',
  '😃😄',
  'a*',
  '^a',
  '-a',
  'a:b',
  '{a}',
  '\u0001\u0002\u0003',
  'Straße',
  'STRASSE',
  'aaaa',
  'aa',
];
const KEYS = [
  'a',
  '__proto__',
  'constructor',
  '',
  '0',
  '"',
  '\\',
  'a.b',
  '$',
  'é',
  '😀',
  '\n',
  'toString',
];
const ITEMS = ['1', 'true', 'a', '', 'null', '[1]', 1, 0, 0.1, -1.5, 1e300, true, false];
const HELD = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:30:00+01:00',
  '2025-12-31T23:00:00-01:00',
  '2026-01-01T00:00:00.5+14:00',
  '1969-12-31T23:59:59.999Z',
];
const LOCAL = ['2026-01-01T00:00:00', '2026-01-01T00:00:00.5', '2025-12-31T23:59:59'];
const DATES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '1969-12-31T23:59:59.999Z'];

function randomValues(random: Random): Readonly<Record<string, JsonValue>> {
  const maybe = <T extends JsonValue>(value: T): T | null => (random.chance(0.3) ? null : value);
  return {
    title: randomTitle(random),
    code: maybe(random.chance(0.3) ? random.pick(WORDS) : random.pick(TEXTS)),
    done: random.chance(0.5),
    rank: maybe(random.integer(-3, 3)),
    score: maybe(random.pick([0, 0.1, -1.5, 1e300, 5])),
    due: maybe(random.pick(DATES)),
    updated: random.pick(DATES),
    tags: maybe(randomSet(random)),
    list: maybe(Array.from({ length: random.integer(0, 3) }, () => random.pick(ITEMS))),
    held: maybe(random.pick(HELD)),
    local: maybe(random.pick(LOCAL)),
  };
}

function randomTitle(random: Random): string {
  if (random.chance(0.5)) return random.pick(TEXTS) + random.pick(TEXTS);
  return `${random.pick(WORDS)}${random.pick(['', ' '])}${random.pick(WORDS)}`;
}

/** JSON.parse makes `__proto__` a member like any. */
function randomSet(random: Random): JsonValue {
  const keys = KEYS.filter(() => random.chance(0.3));
  return JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:true`).join()}}`) as JsonValue;
}

function randomWord(random: Random): string {
  const points = [...random.pick(WORDS)];
  const start = random.integer(0, points.length - 1);
  return points.slice(start, random.integer(start + 1, points.length)).join('');
}

function randomWords(random: Random): string {
  const spaces = [' ', '\t\n', '\u3000', '  '];
  const words = Array.from({ length: random.integer(0, 3) }, () => randomWord(random));
  return `${random.pick(['', ...spaces])}${words.join(random.pick(spaces))}`;
}

function randomFilter(random: Random, depth: number): FilterNode {
  if (depth > 0 && random.chance(0.6)) {
    const conditions = Array.from({ length: random.integer(0, 3) }, () =>
      randomFilter(random, depth - 1),
    );
    return operator(random.pick(['AND', 'OR', 'NOT'] as const), ...conditions);
  }
  const text = random.pick(TEXTS.slice(1));
  return random.pick<() => FilterNode>([
    () => ({ kind: 'all' }),
    () => ({ kind: 'none' }),
    () => condition('title', text),
    () => condition('titleStart', text),
    () => condition('codeText', text),
    () => condition('code', random.chance(0.3) ? null : text),
    () => condition('codeIn', [text, random.pick(TEXTS)]),
    () => condition('noCode', random.chance(0.5)),
    () => condition('done', random.chance(0.5)),
    () => condition('minRank', random.integer(-3, 3)),
    () => condition('maxRank', random.integer(-3, 3)),
    () => condition('rankIn', [random.integer(-3, 3), null]),
    () => condition('score', random.pick([0, 0.1, 5])),
    () => condition('before', random.pick(DATES)),
    () => condition('after', random.pick(DATES)),
    () => condition('hasTag', random.pick(KEYS)),
    () => condition('hasItem', random.pick(ITEMS)),
    () => condition('heldBefore', random.pick(HELD)),
    () => condition('heldAfter', random.pick(HELD)),
    () => condition('held', random.chance(0.2) ? null : random.pick(HELD)),
    () => condition('heldIn', [random.pick(HELD), null, random.pick(HELD)]),
    () => condition('localBefore', random.pick(LOCAL)),
    () => condition('title', randomWord(random)),
    () => condition('found', randomWord(random)),
    () => condition('foundCode', randomWord(random)),
    () => condition('text', randomWords(random)),
    () => condition('foundText', randomWords(random)),
  ])();
}

function randomSort(random: Random): readonly string[] {
  const one = (): string => {
    const name = random.pick([
      'title',
      'code',
      'rank',
      'score',
      'due',
      'done',
      'updated',
      'held',
      'local',
    ]);
    const collation = random.pick([
      'i;unicode-casemap',
      'i;ascii-casemap',
      'i;ascii-numeric',
      'i;octet',
    ]);
    return `${random.chance(0.5) ? '-' : ''}${name} ${collation}`;
  };
  const keys = Array.from({ length: random.integer(0, 3) }, one);
  const byTime = random.pick(['created', '-created', '-id']);
  return random.chance(0.2) ? [...keys, byTime, one(), ...keys] : keys;
}
