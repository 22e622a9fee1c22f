import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  createLong,
  findDate,
  needDate,
  needTextBound,
} from '../../../conform/src/checks/set-values.js';
import type { JsonMap } from '../../../conform/src/client/json.js';
import { entry, utcDate } from '../../../conform/src/expected.js';
import { listGivable } from '../../../conform/src/subject/described.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { mainType } from '../../../src/descriptor/validation/schema.js';

/** Numbers of a kind that a client may set to any of these. */
const numberOf = ({ described }: Subject, kind: 'integer' | 'number', ...values: number[]) =>
  listGivable(described).find(
    ({ kind: own, schema, access }) =>
      own === kind &&
      access === 'mutable' &&
      schema.enum === undefined &&
      values.every(
        (value) => value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity),
      ),
  )?.name;

/** Objects, maps, sets and lists that a client may set. */
const collectionsOf = ({ described }: Subject): readonly string[] =>
  listGivable(described)
    .filter(({ schema, access }) => {
      const type = mainType(schema);
      return access === 'mutable' && (type === 'object' || type === 'array');
    })
    .map(({ name }) => name);

/** A create whose property has a value that is written just so. */
async function written(subject: Subject, name: string, literal: string) {
  const { client, A1, type, profile } = subject;
  const object = { ...subject.create('a'), [name]: 'LITERAL' };
  const args = profile.singleton
    ? { accountId: A1, update: { singleton: { [name]: 'LITERAL' } } }
    : { accountId: A1, create: { k: object } };
  const request = { using: client.using, methodCalls: [[`${type}/set`, args, 'c']] };
  const answer = await client.send(JSON.stringify(request).replace('"LITERAL"', literal));
  if (answer.kind === 'problem') return { refused: answer.problem, stored: null };
  const response = answer.response.methodResponses[0]?.[1] ?? {};
  const key = profile.singleton ? 'singleton' : 'k';
  const of = (member: string): JsonMap | null =>
    ((response[member] ?? {}) as Record<string, JsonMap | null>)[key] ?? null;
  const refused = of(profile.singleton ? 'notUpdated' : 'notCreated');
  if (refused !== null) return { refused, stored: null };
  const id = profile.singleton ? key : String(of('created')?.['id']);
  return { refused, stored: (await subject.read(id))[name] };
}

export const setValueDecisions = typeChecks('5.3', { methods: ['get', 'set'] }, [
  {
    id: 'set-text-code-points',
    level: 'must',
    rule:
      'The length of a text is counted in Unicode code points: what takes two units of UTF-16 is ' +
      'one.',
    needs: { text: true },
    applies: ({ profile: { textMax, octets } }) =>
      textMax > 0 && textMax * 4 + 1000 < octets
        ? null
        : 'An object of such a text would be too large.',
    async run(subject) {
      const { text, textMax } = subject.profile;
      const { created, notCreated } = await subject.set({
        create: {
          foxes: subject.create('🦊'.repeat(textMax)),
          more: subject.create('🦊'.repeat(textMax + 1)),
        },
      });
      expect(notCreated).toEqual({ more: subject.matchSetError('invalidProperties', [text]) });
      expect((await subject.read(entry(created, 'foxes').id))[text]).toBe('🦊'.repeat(textMax));
    },
  },
  {
    id: 'set-text-length-refused',
    level: 'must',
    rule:
      'A text that is longer than it may be is invalidProperties, also where the object is too ' +
      'large.',
    needs: { text: true, room: 2 },
    applies: needTextBound,
    async run(subject) {
      const { notCreated } = await createLong(subject);
      const long = subject.matchSetError('invalidProperties', [subject.profile.text]);
      expect(notCreated).toEqual({ long });
    },
  },
  {
    id: 'set-text-nul',
    level: 'must',
    rule: 'U+0000 in a string is invalidProperties.',
    needs: { text: true },
    async run(subject) {
      const { text } = subject.profile;
      for (const value of ['\u0000', 'a\u0000b']) {
        const { refused } = await subject.put({ [text]: value });
        expect(refused).toEqual(subject.matchSetError('invalidProperties', [text]));
      }
    },
  },
  {
    id: 'set-date-digits',
    level: 'must',
    section: '1.4',
    rule:
      'Of the fraction of a UTCDate milliseconds are kept, more digits are cut, and the stored ' +
      'value is reported.',
    needs: { singleton: 'both' },
    applies: needDate,
    async run(subject) {
      const name = findDate(subject)?.name ?? '';
      for (const [sent, stored] of [
        ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05Z'],
        ['2026-01-02T03:04:05.120Z', '2026-01-02T03:04:05.12Z'],
        ['2026-01-02T03:04:05.123456Z', '2026-01-02T03:04:05.123Z'],
        ['2026-01-02T03:04:05.0009Z', '2026-01-02T03:04:05Z'],
        ['1969-12-31T23:59:59.5000Z', '1969-12-31T23:59:59.5Z'],
      ] as const) {
        const { id, reported } = await subject.put({ [name]: sent });
        expect([reported[name], (await subject.read(id))[name]]).toEqual([stored, stored]);
        const other = await subject.putOne({ [name]: '2001-01-01T00:00:00Z' });
        const { set } = await subject.update(other, { [name]: sent });
        expect(set).toEqual(expect.objectContaining({ updated: utcDate, [name]: stored }));
      }
      const exact = await subject.putOne({ [name]: '2026-01-02T03:04:05Z' });
      expect((await subject.read(exact))[name]).toBe('2026-01-02T03:04:05Z');
    },
  },
  {
    id: 'set-number-text',
    level: 'must',
    section: '1.3',
    rule:
      'Whether a number is an Int is read from how it is written: one that a double can only ' +
      'round is refused, and -0 is 0.',
    needs: { singleton: 'both', room: 3 },
    applies: (subject) =>
      numberOf(subject, 'integer', 5, 10) === undefined &&
      numberOf(subject, 'number', 0, 1) === undefined
        ? 'The type has no number that a client may set to 0, 5 and 10.'
        : null,
    async run(subject) {
      const integer = numberOf(subject, 'integer', 5, 10);
      const signed = numberOf(subject, 'integer', 0);
      const number = numberOf(subject, 'number', 0, 1);
      const wrong: [string | undefined, string][] = [
        [integer, '4.99999999999999999999'],
        [integer, '1e400'],
        [integer, '1e-400'],
        [number, '1e400'],
      ];
      const right: [string | undefined, string, number][] = [
        [signed, '-0', 0],
        [integer, '5.0', 5],
        [integer, '1e1', 10],
        [number, '-0.0', 0],
        [number, '0.1', 0.1],
      ];
      for (const [name, literal] of wrong) {
        if (name === undefined) continue;
        const { refused } = await written(subject, name, literal);
        expect({ name, literal, refused }).toEqual({
          name,
          literal,
          refused: subject.matchSetError('invalidProperties', [name]),
        });
      }
      for (const [name, literal, value] of right) {
        if (name === undefined) continue;
        const { stored } = await written(subject, name, literal);
        expect([literal, Object.is(stored, value)]).toEqual([literal, true]);
      }
    },
  },
  {
    id: 'set-number-for-object',
    level: 'must',
    section: '1.3',
    rule:
      'A number that no double holds is refused where an object or a list is declared, as any ' +
      'other number is.',
    needs: { singleton: 'both' },
    applies: (subject) =>
      collectionsOf(subject).length > 0
        ? null
        : 'The type has no object or list that a client may set.',
    async run(subject) {
      for (const name of collectionsOf(subject))
        for (const literal of ['1', '1e400']) {
          const { refused } = await written(subject, name, literal);
          expect({ name, literal, refused }).toEqual({
            name,
            literal,
            refused: subject.matchSetError('invalidProperties', [name]),
          });
        }
    },
  },
]);
