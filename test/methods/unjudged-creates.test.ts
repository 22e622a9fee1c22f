import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { Random } from '../support/random.js';
import { type Json, Rig } from './rig.js';
import { SCHEMAS, validator, Widget } from './widget.js';

/**
 * Nothing is settled for a type without rules between objects. Its creates must come to the same as
 * those of a type that has limits, even where they allow anything.
 */

const NULLABLE_KIND = { ...SCHEMAS, kind: { enum: ['small', 'large', null] } };

const FREE: DataTypeDefinition = {
  ...Widget,
  properties: Widget.properties
    .filter(({ blobs }) => blobs === undefined)
    // Null means the default.
    .map((property) => (property.name === 'kind' ? { ...property, nullable: true } : property)),
  validate: {
    ...Widget.validate,
    update: validator(NULLABLE_KIND),
  },
};
const JUDGED: DataTypeDefinition = { ...FREE, limits: {} };

let rigs: readonly Rig[];

beforeEach(() => {
  rigs = [FREE, JUDGED].map((widget) => new Rig({}, { widget }));
});
afterEach(async () => {
  for (const rig of rigs) await rig.close();
});

/** JSON that JSON.stringify has no words for stands between marks. */
const RAW = /"<([^>]*)>"/g;

const LEGAL: Readonly<Record<string, readonly unknown[]>> = {
  title: ['a', 'ÄÖ ß ﬁ', 'İ "\\ 日本', '', 'ALL CAPS'],
  kind: ['small', 'large', null],
  rankNumber: [0, 7, -10, 10],
  score: [null, 1.5, 0, -2],
  due: [null, '2026-01-31T09:30:00Z', '2026-01-31T09:30:00.5Z'],
};

const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  title: [null, 5, 'x'.repeat(21)],
  kind: ['middle'],
  rankNumber: [null, '<-0>', 11, 0.5, '<1e400>', '<9007199254740993>', '<4.99999999999999999999>'],
  score: ['<-0>', '<1e400>', 'x', '<12345678901234567890>'],
  due: ['2026-01-31T09:30:00.000Z', '2026-01-31T09:30:00.50Z', '2026-02-30T09:30:00Z', 7],
  tags: [null, {}, { x: true }, { x: 1 }],
  meta: [{ a: { b: 1 } }, { a: 1 }],
  list: [[], ['a'], null],
  count: [5, null],
  id: ['r1'],
  created: ['2026-01-31T09:30:00Z', null],
  rank_number: [3],
  blobId: ['b1'],
  toString: ['x'],
  colour: ['red'],
};

function drawObject(random: Random): unknown {
  if (random.chance(0.01)) return random.pick([null, 7, [], 'text', '<1e400>']);
  const object: Record<string, unknown> = random.chance(0.02)
    ? {}
    : { title: random.pick(LEGAL['title'] ?? []) };
  for (const [name, values] of Object.entries(LEGAL)) {
    if (random.chance(0.4)) object[name] = random.pick(values);
  }
  while (random.chance(0.1)) {
    const name = random.pick(Object.keys(OTHERS));
    object[name] = random.pick(OTHERS[name] ?? []);
  }
  return object;
}

function drawCreate(random: Random): Record<string, unknown> {
  const count = random.chance(0.05) ? random.integer(95, 105) : random.integer(1, 6);
  // Names that are numbers go first in JSON, whatever their place.
  const key = (at: number): string =>
    random.chance(0.2) ? String(count - at) : random.chance(0.01) ? '__proto__' : `k-${at}`;
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [key(at), drawObject(random)]),
  );
}

function drawBody(random: Random, state: string): string {
  const args: Record<string, unknown> = { accountId: 'a1', create: drawCreate(random) };
  if (random.chance(0.2)) args['ifInState'] = random.pick([null, state, '77777']);
  if (random.chance(0.1)) args['update'] = random.pick([null, {}, { r1: { title: 'v' } }]);
  if (random.chance(0.1)) args['destroy'] = random.pick([null, [], ['r1']]);
  const calls: unknown[] = [['Widget/set', args, 'a "quoted" call\u00e9']];
  if (random.chance(0.3)) {
    const resultOf = {
      resultOf: 'a "quoted" call\u00e9',
      name: 'Widget/set',
      path: '/created/*/id',
    };
    calls.push(['Widget/get', { accountId: 'a1', '#ids': resultOf }, 'b']);
  }
  if (random.chance(0.3)) calls.push(['Widget/get', { accountId: 'a1', ids: ['#k-0', '#1'] }, 'c']);
  const body = {
    using: ['urn:ietf:params:jmap:core', Widget.capability],
    methodCalls: calls,
    ...(random.chance(0.3) ? { createdIds: { old: 'r2' } } : {}),
  };
  return JSON.stringify(body).replace(RAW, '$1');
}

/** Ids in the order in which they first come: both servers have made their own. */
function numbered(): (text: string) => string {
  const numbers = new Map<string, number>();
  return (text) =>
    text.replace(/r[0-7][0-9a-hjkmnp-tv-z]{25}/g, (id) => {
      const number = numbers.get(id) ?? numbers.size;
      numbers.set(id, number);
      return `<id ${number}>`;
    });
}

async function transcripts(random: Random, calls: number): Promise<readonly string[][]> {
  const [first, second] = rigs as [Rig, Rig];
  const sides = [first, second].map((rig) => ({ rig, said: [] as string[], plain: numbered() }));
  let state = '0';
  for (let call = 0; call < calls; call += 1) {
    const body = drawBody(random, state);
    for (const { rig, said, plain } of sides) {
      rig.time = 1_790_000_000_000 + call * 997;
      const answer = await rig.text(body);
      said.push(plain(answer));
      state = (JSON.parse(answer) as Json).methodResponses[0][1].newState ?? state;
    }
  }
  for (const { rig, said, plain } of sides) {
    for (const table of ['Widget', 'JmapChange', 'JmapState']) {
      for (const row of rig.rows(`SELECT * FROM "${table}"`)) said.push(plain(JSON.stringify(row)));
    }
  }
  return sides.map(({ said }) => said);
}

it('RFC 8620 5.3: creates of a type without rules are answered as all others', async () => {
  const random = Random.fromEnvironment();
  const [free, judged] = await transcripts(random, 150);
  expect(free, `TEST_SEED=${random.seed}`).toEqual(judged);
});
