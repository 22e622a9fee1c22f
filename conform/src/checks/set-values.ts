import { expect } from 'expect';
import { BOUNDS } from '../../../src/descriptor/bounds.js';
import { typeChecks } from '../check.js';
import type { Json, JsonMap } from '../client/json.js';
import { entry } from '../expected.js';
import { listGivable } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { withValues } from './patch-holding.js';
import { findFreeMaps } from './patch-places.js';

/** RFC 8620 1.3, 1.4 and 5.3: what /set makes of values whose form leaves room. */

/** Returns a date that any object of the type may have; undefined where there is none. */
export const findDate = ({ described, profile }: Subject) =>
  listGivable(described).find(
    ({ name, schema }) =>
      schema.format === 'utc-date' && !profile.given.some((one) => one.name === name),
  );

/** Returns why a type has no date to try; null where it has one. */
export const needDate = (subject: Subject) =>
  findDate(subject) === undefined ? 'The type has no UTCDate that a client may set.' : null;

/** RFC 8620 1.4: capital letters, and no fraction of seconds that is zero. */
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9]\d*)?Z$/;

/** Returns why the longest text of a type can't be tried; null where it can. */
export function needTextBound(subject: Subject): string | null {
  const { textMax, octets } = subject.profile;
  if (textMax === 0 || textMax > 1_000_000) return 'The text has no bound that is tried.';
  if (textMax * 4 + 1000 >= octets) return 'An object of such a text would be too large.';
  // The descriptor language has a bound for a text without a maxLength, which another server need
  // not have.
  return !subject.isSelfDescribed && textMax === BOUNDS.stringLength
    ? 'The descriptor says nothing of how long the text may be.'
    : null;
}

/**
 * Creates `fits`, whose text is as long as it may be, and `long`, whose text has one character
 * more.
 */
export function createLong(subject: Subject) {
  const { textMax } = subject.profile;
  return subject.set({
    create: {
      fits: subject.create('x'.repeat(textMax)),
      long: subject.create('x'.repeat(textMax + 1)),
    },
  });
}

export const setValueChecks = typeChecks('5.3', { methods: ['get', 'set'] }, [
  {
    id: 'set-text-length',
    level: 'must',
    rule:
      'A text as long as its type allows is stored whole; one that is longer is ' +
      'invalidProperties, never cut.',
    restsOn: 'how long the text may be',
    needs: { text: true, room: 2 },
    applies: needTextBound,
    async run(subject) {
      const { text, textMax } = subject.profile;
      const { created, notCreated } = await createLong(subject);
      expect(Object.keys(created ?? {})).toEqual(['fits']);
      const refused = entry(notCreated, 'long');
      // The object may be too large as well.
      if (refused['type'] !== 'tooLarge')
        expect(refused).toEqual(subject.matchSetError('invalidProperties', [text]));
      expect((await subject.read(entry(created, 'fits').id))[text]).toBe('x'.repeat(textMax));
    },
  },
  {
    id: 'set-text-kept',
    level: 'must',
    section: '1.1',
    rule:
      'A String is kept as it was sent, character for character: it is neither normalised nor ' +
      'trimmed, and what looks like an escape or a reference stays what it is.',
    restsOn: 'that the property takes any text',
    needs: { text: true, room: 8 },
    async run(subject) {
      const { text } = subject.profile;
      const texts = [
        'e\u0301 é',
        ' a\u00a0',
        'שלום\u200f',
        '\u{1F98A}',
        '&amp;',
        '#1',
        '~0~1',
        '\ufeff',
      ];
      for (const value of texts.filter((one) => subject.allows(one))) {
        const id = await subject.makeOne(subject.A1, value);
        expect((await subject.read(id))[text]).toBe(value);
        await subject.set({ destroy: [id] });
      }
    },
  },
  {
    id: 'set-map-keys',
    level: 'must',
    section: '1.1',
    rule:
      'Keys of a map are data, whatever they look like: empty, numbers, with slashes and tildes, ' +
      'or names that a program may have a meaning for.',
    restsOn: 'which maps may have keys of any text',
    needs: { singleton: 'both' },
    applies: (subject) =>
      findFreeMaps(subject).length > 0 ? null : 'No property is a map whose keys are any text.',
    async run(subject) {
      const keys = ['', '0', 'a/b~c', '__proto__', 'constructor', 'toString'];
      for (const { property, value } of findFreeMaps(subject)) {
        const map = Object.fromEntries(keys.map((key) => [key, value]));
        await withValues(subject, { [property.name]: map }, async (id) => {
          const stored = (await subject.read(id))[property.name] as JsonMap;
          expect(Object.entries(stored).sort()).toEqual(Object.entries(map).sort());
        });
      }
    },
  },
  {
    id: 'set-date-canonical',
    level: 'must',
    section: '1.4',
    rule:
      'A UTCDate in a form that is not quite right is refused, or stored in the right one: Z, ' +
      'capital letters, no fraction that is zero. A stored value that differs from the one sent ' +
      'is reported.',
    needs: { singleton: 'both' },
    applies: needDate,
    /**
     * Accepts a refusal or the canonical form for each text. A form that is stored otherwise than
     * it was sent must be reported.
     */
    async run(subject) {
      const name = findDate(subject)?.name ?? '';
      const forms = [
        '2026-01-02T03:04:05z',
        '2026-01-02t03:04:05Z',
        '2026-01-02T03:04:05+00:00',
        '2026-01-02T03:04:05.000Z',
        '2026-01-02T03:04:05.120Z',
        '2026-01-02T24:00:00Z',
        '2026-02-31T00:00:00Z',
        '2026-12-31T23:59:60Z',
      ];
      for (const form of forms) {
        const { id, reported, refused } = await subject.put({ [name]: form });
        if (refused !== null) {
          expect({ form, refused }).toEqual({
            form,
            refused: subject.matchSetError('invalidProperties', [name]),
          });
          continue;
        }
        const stored = (await subject.read(id))[name];
        expect({ form, stored }).toEqual({ form, stored: expect.stringMatching(CANONICAL) });
        expect([form, reported[name] ?? form]).toEqual([form, stored]);
      }
    },
  },
  {
    id: 'set-date-invalid',
    level: 'must',
    section: '1.4',
    rule: 'A value that is no date and time is invalidProperties where a UTCDate is declared.',
    needs: { singleton: 'both' },
    applies: needDate,
    async run(subject) {
      const name = findDate(subject)?.name ?? '';
      const wrong = ['', 'tomorrow', '2026-01-02', '2026-01-02 03:04:05Z', 5, true, {}];
      for (const value of wrong as Json[]) {
        const { refused } = await subject.put({ [name]: value });
        expect({ value, refused }).toEqual({
          value,
          refused: subject.matchSetError('invalidProperties', [name]),
        });
      }
    },
  },
]);
