import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { needFilter, needTextFilter } from '../../../conform/src/checks/applies.js';
import type { Json, JsonMap } from '../../../conform/src/client/json.js';
import { sameMembers } from '../../../conform/src/expected.js';
import { isUnique, listGivable } from '../../../conform/src/subject/described.js';
import { listOperands, matches } from '../../../conform/src/subject/operators.js';
import { populate } from '../../../conform/src/subject/populated.js';
import { queryOwn, tryQuery } from '../../../conform/src/subject/queries.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { countOctets, listSchemaValues } from '../../../conform/src/subject/values.js';

/** RFC 8620 5.5: what the conditions mean that a descriptor declares. */

/** Returns the results of a query with a filter, as texts of objects that were made of them. */
async function texts(
  subject: Subject,
  values: readonly string[],
): Promise<(filter: JsonMap) => Promise<string[]>> {
  await subject.empty(subject.A1);
  const ids = await subject.make(subject.A1, ...values);
  return async (filter) => {
    const found = await queryOwn(subject, { filter });
    return found.map((id) => values[ids.indexOf(id)] ?? '');
  };
}

/** A filter on text and its property, where any text may be stored in it. */
function freeTexts(
  subject: Subject,
): readonly { name: string; property: string; starts: boolean }[] {
  return subject.described.filters.flatMap(({ name, operator, property }) => {
    const isText = operator === 'contains' || operator === 'startsWith';
    const { enum: values, pattern } = property.schema;
    const isFree =
      listGivable(subject.described).includes(property) &&
      property.format === undefined &&
      values === undefined &&
      pattern === undefined &&
      (property.schema.maxLength ?? 0) >= 20;
    if (!isText || !isFree) return [];
    return [{ name, property: property.name, starts: operator === 'startsWith' }];
  });
}

/** Filters with a bound on a date that a create may give, and that objects may share. */
const dateBounds = ({ described }: Subject) =>
  described.filters.filter(
    ({ operator, property }) =>
      (operator === 'before' || operator === 'after') &&
      property.kind === 'date' &&
      listGivable(described).includes(property) &&
      !isUnique(described, property),
  );

export const queryConditionDecisions = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], room: 3 },
  [
    {
      id: 'query-condition-operators',
      level: 'must',
      rule:
        'Each declared filter finds what its operator says of the stored values: equals, in, ' +
        'contains, startsWith, text, before, after, atLeast, atMost, isNull, hasKey and hasItem.',
      applies: needFilter,
      async run(subject) {
        await populate(subject, async (items) => {
          for (const filter of subject.described.filters)
            for (const value of listOperands(filter, items)) {
              const condition = { [filter.name]: value };
              const found = items.filter((item) => matches(item, filter, value));
              expect({ condition, ids: await queryOwn(subject, { filter: condition }) }).toEqual({
                condition,
                ids: sameMembers(found.map(({ id }) => id)),
              });
            }
        });
      },
    },
    {
      id: 'query-condition-members',
      level: 'must',
      rule:
        'All members of a condition must hold; those that are null add no constraint, but for ' +
        'equals on a nullable property.',
      applies: needFilter,
      async run(subject) {
        await populate(subject, async (items) => {
          const { filters: all } = subject.described;
          for (const [index, filter] of all.entries()) {
            const other = all[(index + 1) % all.length] ?? filter;
            const [value = null] = listOperands(filter, items);
            const [more = null] = listOperands(other, items);
            if (value === null || more === null || other === filter) continue;
            const both = { [filter.name]: value, [other.name]: more };
            const wanted = items.filter(
              (item) => matches(item, filter, value) && matches(item, other, more),
            );
            expect({ both, ids: await queryOwn(subject, { filter: both }) }).toEqual({
              both,
              ids: sameMembers(wanted.map(({ id }) => id)),
            });
            if (other.operator === 'equals' && other.property.nullable) continue;
            const one = { [filter.name]: value, [other.name]: null };
            expect({ one, ids: await queryOwn(subject, { filter: one }) }).toEqual({
              one,
              ids: await queryOwn(subject, { filter: { [filter.name]: value } }),
            });
          }
        });
      },
    },
    {
      id: 'query-condition-invalid',
      level: 'must',
      rule:
        'A condition takes values of its schema in the descriptor. A date that is none, a list ' +
        'with a null, a value out of range are invalidArguments that names the condition.',
      needs: { room: 0 },
      applies: needFilter,
      async run(subject) {
        for (const { name, schema } of subject.described.filters)
          for (const value of listSchemaValues(schema).bad) {
            // U+0000 can't be stored, but it may be looked for.
            if (
              countOctets(value) > 2000 ||
              value === null ||
              /\\u0000/.test(JSON.stringify(value))
            )
              continue;
            const filter = { [name]: value };
            expect({ filter, answer: await tryQuery(subject, { filter }) }).toEqual({
              filter,
              answer: subject.matchError('invalidArguments', name),
            });
          }
      },
    },
    {
      id: 'query-condition-no-constraint',
      level: 'must',
      rule: 'null, and the empty text in contains, startsWith and text, add no constraint.',
      applies: needFilter,
      async run(subject) {
        await populate(subject, async (items) => {
          const all = sameMembers(items.map(({ id }) => id));
          for (const { name, operator, property } of subject.described.filters) {
            const isText = ['contains', 'startsWith', 'text'].includes(operator);
            const free: Json[] = operator === 'equals' && property.nullable ? [] : [null];
            for (const value of isText ? [...free, ''] : free) {
              const filter = { [name]: value };
              expect({ filter, ids: await queryOwn(subject, { filter }) }).toEqual({
                filter,
                ids: all,
              });
              const not = { operator: 'NOT', conditions: [filter] };
              expect({ not, ids: await queryOwn(subject, { filter: not }) }).toEqual({
                not,
                ids: [],
              });
            }
          }
        });
      },
    },
    {
      id: 'query-condition-bounds',
      level: 'must',
      rule:
        'Bounds of dates are half open to the millisecond: before leaves its bound out, after ' +
        'takes it in; null is neither.',
      applies: (subject) =>
        dateBounds(subject).length > 0
          ? null
          : 'The type declares no before or after on a UTCDate that is given.',
      async run(subject) {
        for (const { name, operator, property } of dateBounds(subject)) {
          await subject.empty(subject.A1);
          const early = await subject.putOne({ [property.name]: '2026-01-01T00:00:00Z' });
          const later = await subject.putOne({ [property.name]: '2026-01-01T00:00:00.001Z' });
          if (property.nullable) await subject.putOne({ [property.name]: null });
          for (const [bound, before, after] of [
            ['2026-01-01T00:00:00Z', [], [early, later]],
            ['2026-01-01T00:00:00.001Z', [early], [later]],
            ['2026-01-01T00:00:00.002Z', [early, later], []],
          ] as const) {
            const filter = { [name]: bound };
            expect({ filter, ids: await queryOwn(subject, { filter }) }).toEqual({
              filter,
              ids: sameMembers(operator === 'before' ? before : after),
            });
          }
        }
      },
    },
    {
      id: 'query-condition-case',
      level: 'must',
      rule:
        'Text is compared case-insensitively by NFC, full case folding and NFC again, for every ' +
        'script.',
      needs: { text: true, room: 8 },
      applies: needTextFilter,
      async run(subject) {
        const { textFilter: name = '' } = subject.profile;
        const find = await texts(subject, [
          'Åland',
          'A\u030Aland',
          'STRASSE 1',
          'straße 2',
          'ΣΊΣΥΦΟΣ',
          'ﬁre',
          'İx',
          'plain',
        ]);
        for (const [part, wanted] of [
          ['ÅLAND', ['Åland', 'A\u030Aland']],
          ['a\u030Aland', ['Åland', 'A\u030Aland']],
          ['strasse', ['STRASSE 1', 'straße 2']],
          ['STRAßE', ['STRASSE 1', 'straße 2']],
          ['σίσυφος', ['ΣΊΣΥΦΟΣ']],
          ['FIRE', ['ﬁre']],
          ['i\u0307X', ['İx']],
          ['PLA', ['plain']],
          ['aland', []],
        ] as const)
          expect({ part, found: await find({ [name]: part }) }).toEqual({ part, found: wanted });
      },
    },
    {
      id: 'query-condition-wildcards',
      level: 'must',
      rule:
        'No character of a text that is looked for is a wildcard; startsWith looks at the start ' +
        'alone.',
      needs: { room: 13 },
      applies: (subject) =>
        freeTexts(subject).length > 0
          ? null
          : 'The type declares no contains or startsWith on a free text.',
      async run(subject) {
        const values = [
          '100%',
          '100x',
          'a_b',
          'axb',
          'a\\b',
          "it's",
          'a*b',
          'a?b',
          '[x]',
          '_x',
          'Straße 1',
          'STRASSE 2',
          '%',
        ];
        for (const { name, property, starts } of freeTexts(subject)) {
          await subject.empty(subject.A1);
          const ids: string[] = [];
          for (const value of values) ids.push(await subject.putOne({ [property]: value }));
          for (const part of [
            '0%',
            '100',
            'A_B',
            'a\\b',
            "t's",
            'a*b',
            'a?',
            '[X]',
            '%',
            '_',
            '*',
            'strasse',
            'rasse',
            '^a',
            'a.b',
          ]) {
            const folded = part.toLowerCase();
            const wanted = values.filter((value) => {
              const text = value.toLowerCase().replaceAll('ß', 'ss');
              return starts ? text.startsWith(folded) : text.includes(folded);
            });
            const found = await queryOwn(subject, { filter: { [name]: part } });
            expect({ name, part, found: found.map((id) => values[ids.indexOf(id)]) }).toEqual({
              name,
              part,
              found: wanted,
            });
          }
        }
      },
    },
  ],
);
