import { expect } from 'expect';
import type { ModelFilter, ModelSort, ModelUnique } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import type { Json } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import {
  type Formed,
  isComparing,
  listFormed,
  listNormalPlaces,
  type NormalPlace,
  wrapFormed,
} from '../subject/normal-forms.js';
import { matches } from '../subject/operators.js';
import { queryOwn } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { forEachKey, matchTaken } from './described-unique.js';

/** `normalize`: texts that are stored in one form, whatever form a client sends. */

/** Returns why no text of the type has a normal form; null where one has. */
const needNormal = (subject: Subject): string | null =>
  listNormalPlaces(subject).length > 0 ? null : 'No text of the type is normalised.';

/** Lists the filters and the sorts by a condition that compare the texts of a place. */
const listFilters = ({ described }: Subject, at: NormalPlace): readonly ModelFilter[] =>
  described.filters.filter((one) => isComparing(one, one.operator, at));
const listSorts = ({ described }: Subject, at: NormalPlace): readonly ModelSort[] =>
  described.sorts.filter((one) => isComparing(one, one.by?.operator, at));

/** Returns why no condition compares a text that is normalised; null where one does. */
const needCompared = (subject: Subject): string | null =>
  listNormalPlaces(subject).some((at) =>
    [listFilters, listSorts].some((list) => list(subject, at).length > 0),
  )
    ? null
    : 'The type has no condition by a whole text that is normalised.';

/** Calls `work` for each place, with the values of its property in both forms. */
async function forEachPlace(
  subject: Subject,
  work: (at: NormalPlace, values: readonly Formed<Json>[]) => Promise<void>,
): Promise<void> {
  let tried = 0;
  for (const at of listNormalPlaces(subject)) {
    await subject.clear(subject.A1);
    const { name } = at.property;
    const values = at.texts.map((one) => wrapFormed(at, one));
    // Another rule may refuse it in any form.
    const { id, refused } = await subject.put({ [name]: values[0]?.stored ?? null });
    if (refused !== null) continue;
    await subject.set({ destroy: [id] });
    tried += 1;
    await work(at, values);
  }
  await subject.clear(subject.A1);
  if (tried === 0) throw new NotApplicable('The server takes none of the values to be tried.');
}

/** Returns texts of a key's first property that is normalised; none where it has no such one. */
function findFormed({ properties }: ModelUnique): { name: string; texts: readonly Formed[] } {
  const found = properties.find((one) => listFormed(one.schema).length > 0);
  return { name: found?.name ?? '', texts: found === undefined ? [] : listFormed(found.schema) };
}

/** Expects an object that has a text behind one that lacks it, whatever the form in the sort. */
async function expectBehind(subject: Subject, at: NormalPlace, id: string): Promise<void> {
  const [text] = at.texts;
  const sorts = listSorts(subject, at);
  if (text === undefined || sorts.length === 0) return;
  // Without the condition it would be the last.
  const other = await subject.putOne({});
  for (const { name, by } of sorts)
    for (const form of [text.stored, text.sent]) {
      const sort = [{ property: name, [by?.argument ?? '']: form }];
      expect({ sort, ids: await queryOwn(subject, { sort }) }).toEqual({ sort, ids: [other, id] });
    }
}

export const describedNormalChecks = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-normal-stored',
    level: 'must',
    rule:
      'A text in another form than the descriptor’s normal form is stored in the normal form, ' +
      'within lists and objects too. The response tells the stored form.',
    restsOn: 'the normal forms of texts',
    applies: needNormal,
    async run(subject) {
      await forEachPlace(subject, async ({ property: { name, access } }, values) => {
        const [first, second] = values;
        if (first === undefined) return;
        const { id, reported, refused } = await subject.put({ [name]: first.sent });
        const read = async (): Promise<Json> => (await subject.read(id))[name] ?? null;
        expect({ sent: first.sent, refused }).toEqual({ sent: first.sent, refused: null });
        expect({ [name]: [reported[name], await read()] }).toEqual({
          [name]: [first.stored, first.stored],
        });
        if (second === undefined || access !== 'mutable') return;
        const answer = await subject.update(id, { [name]: second.sent });
        expect({ sent: second.sent, refused: answer.refused }).toEqual({
          ...{ sent: second.sent, refused: null },
        });
        expect({ [name]: [answer.set?.[name], await read()] }).toEqual({
          [name]: [second.stored, second.stored],
        });
      });
    },
  },
  {
    id: 'described-normal-found',
    section: '5.5',
    level: 'must',
    rule: 'A condition of a filter or a sort meets a text that is normalised by either form.',
    restsOn: 'the normal forms of texts',
    needs: { methods: ['query'] },
    applies: needCompared,
    async run(subject) {
      await forEachPlace(subject, async (at, [first]) => {
        const [text] = at.texts;
        if (first === undefined || text === undefined) return;
        const id = await subject.putOne({ [at.property.name]: first.sent });
        const item = await subject.read(id);
        await expectBehind(subject, at, id);
        for (const filter of listFilters(subject, at)) {
          const wrap = (one: string): Json => (filter.operator === 'in' ? [one] : one);
          const isMatch = matches(item, filter, wrap(text.stored));
          for (const form of [text.stored, text.sent]) {
            const condition = { [filter.name]: wrap(form) };
            const found = (await queryOwn(subject, { filter: condition })).includes(id);
            expect({ condition, found }).toEqual({ condition, found: isMatch });
          }
        }
      });
    },
  },
  {
    id: 'described-normal-unique',
    level: 'must',
    rule: 'Two forms of one text are one value where no two objects may share it.',
    restsOn: 'the normal forms of texts, and which are unique',
    applies: ({ described }) =>
      described.uniques.some((one) => findFormed(one).texts.length > 0)
        ? null
        : 'The type has no unique text that is normalised.',
    async run(subject) {
      await forEachKey(subject, async (unique, key) => {
        const { name, texts } = findFormed(unique);
        const [first] = texts;
        if (first === undefined) return;
        for (const item of subject.listForeign().values())
          if (item[name] === first.stored)
            throw new NotApplicable(
              `${subject.type} ${item.id} already has the value that the check needs.`,
            );
        const id = await subject.putOne({ ...key, [name]: first.stored });
        for (const value of [first.sent, first.stored]) {
          const { refused } = await subject.put({ ...key, [name]: value });
          expect({ name, value, refused }).toEqual({
            ...{ name, value },
            refused: matchTaken(subject, id),
          });
        }
      });
    },
  },
]);
