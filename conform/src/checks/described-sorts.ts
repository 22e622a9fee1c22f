import { expect } from 'expect';
import type { ModelSort } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { at } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { isUnique, listGivable } from '../subject/described.js';
import { meetsSort, readValues } from '../subject/operators.js';
import { populate } from '../subject/populated.js';
import { listSorts } from '../subject/profile.js';
import { queryAll, tryQuery } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { countOctets } from '../subject/values.js';
import { cacheAll, expectFollowed, write } from './described-shape-changes.js';

/** Sorts by a condition: a further member of the Comparator has what is compared with. */

/** A sort by a condition, and the name of the Comparator's member. */
interface Conditional {
  readonly sort: ModelSort;
  readonly argument: string;
}

const listConditional = ({ described }: Subject): readonly Conditional[] =>
  described.sorts.flatMap((sort) =>
    sort.by === undefined ? [] : [{ sort, argument: sort.by.argument }],
  );

/** Returns why the type has no such sort; null where it has one. */
const needConditional = (subject: Subject): string | null =>
  listConditional(subject).length > 0 ? null : 'The type has no sort with an argument.';

/** Lists the texts that one value may be compared with. */
function listTexts(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return value !== null && typeof value === 'object' ? Object.keys(value) : [value];
}

/** Returns a few texts that some objects meet and others don't, and one that none meets. */
function listSamples(sort: ModelSort, items: readonly Item[]): readonly string[] {
  const values = items.flatMap((item) => readValues(sort.property, item).flatMap(listTexts));
  const texts = values.filter((one) => typeof one === 'string');
  const isSplit = (text: string): boolean =>
    new Set(items.map((item) => meetsSort(item, sort, text))).size > 1;
  return [...[...new Set(texts)].filter(isSplit).slice(0, 2), 'nowhere'];
}

/** Calls `work` for each such sort and each text, with the Comparator that has it. */
async function forEachSample(
  subject: Subject,
  work: (
    items: readonly Item[],
    conditional: Conditional,
    text: string,
    comparator: JsonMap,
  ) => Promise<void>,
): Promise<void> {
  await populate(subject, async (items) => {
    let tried = 0;
    for (const one of listConditional(subject)) {
      const samples = listSamples(one.sort, items);
      tried += samples.length - 1;
      for (const text of samples)
        await work(items, one, text, { property: one.sort.name, [one.argument]: text });
    }
    if (tried === 0) throw new NotApplicable('All objects are equal in these sorts.');
  });
}

/** Returns a patch by which an object meets the sort's condition, or no longer; null for none. */
function buildTurn(
  subject: Subject,
  item: Item,
  { sort }: Conditional,
  text: string,
): JsonMap | null {
  const { described } = subject;
  const name = sort.property.within?.property ?? sort.property.name;
  const property = listGivable(described).find((one) => one.name === name);
  if (property === undefined || property.access !== 'mutable' || isUnique(described, property))
    return null;
  const was = meetsSort(item, sort, text);
  const value = subject
    .listGood(property)
    .find(
      (one) => countOctets(one) < 2000 && meetsSort({ ...item, [name]: one }, sort, text) !== was,
    );
  return value === undefined ? null : { [name]: value };
}

const WRONG: readonly Json[] = [null, 5, true, [], {}, ['a']];

const ordered = typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 3 }, [
  {
    id: 'described-sort-argument',
    level: 'must',
    rule:
      'In a sort by a condition, objects that meet it with the Comparator’s further member come ' +
      'after the others, or before them if isAscending is false.',
    restsOn: 'the conditions of sorts',
    applies: needConditional,
    async run(subject) {
      const [plain] = listSorts(subject.described);
      const second = plain === undefined ? [] : [{ property: plain.name }];
      subject.listForeign();
      await forEachSample(subject, async (_, { sort }, text, comparator) => {
        const all = await subject.listAll(subject.A1);
        const met = new Set(all.flatMap((one) => (meetsSort(one, sort, text) ? [one.id] : [])));
        const base = await queryAll(subject, { sort: second });
        const halves = [base.filter((id) => !met.has(id)), base.filter((id) => met.has(id))];
        for (const isAscending of [true, false]) {
          const first = isAscending ? comparator : { ...comparator, isAscending };
          const ids = await queryAll(subject, { sort: [first, ...second] });
          const wanted = (isAscending ? halves : halves.toReversed()).flat();
          // Elsewhere than in a strict run equal objects may be in any order.
          const show = (id: string): Json => (subject.server.strict ? id : met.has(id));
          expect({ first, ids: ids.map(show) }).toEqual({ first, ids: wanted.map(show) });
        }
      });
    },
  },
  {
    id: 'described-sort-argument-refused',
    level: 'must',
    rule:
      'A Comparator of a sort by a condition without the text that it compares with is ' +
      'invalidArguments.',
    restsOn: 'the conditions of sorts',
    needs: { room: 0 },
    applies: needConditional,
    async run(subject) {
      for (const { sort, argument } of listConditional(subject)) {
        const { name: property } = sort;
        const wrong = [{ property }, ...WRONG.map((value) => ({ property, [argument]: value }))];
        for (const comparator of wrong) {
          const answer = await tryQuery(subject, { sort: [comparator] });
          expect({ comparator, answer }).toEqual({
            comparator,
            answer: subject.matchError('invalidArguments', 'sort'),
          });
        }
      }
    },
  },
]);

const followed = typeChecks('5.6', { methods: ['get', 'set', 'query', 'queryChanges'], room: 5 }, [
  {
    id: 'described-sort-argument-changes',
    level: 'must',
    rule:
      'A client that applies /queryChanges to a cached result in the order of a condition gets ' +
      'the result of a new /query. Objects are added, are removed, or meet the condition anew or ' +
      'no more.',
    restsOn: 'the conditions of sorts',
    applies: needConditional,
    async run(subject) {
      await forEachSample(subject, async (_, conditional, text, comparator) => {
        const queries = [{ sort: [comparator] }, { sort: [{ ...comparator, isAscending: false }] }];
        const own = await subject.listOwn(subject.A1);
        const [first, last] = [at(own, 0), at(own, -1)];
        const turned = await cacheAll(subject, queries);
        const patch = buildTurn(subject, first, conditional, text);
        if (patch !== null) await write(subject, { update: { [first.id]: patch } });
        await expectFollowed(subject, turned);
        const caches = await cacheAll(subject, queries);
        await write(subject, { create: { k: subject.create('new') }, destroy: [last.id] });
        await expectFollowed(subject, caches);
      });
    },
  },
]);

export const describedSortChecks = Object.freeze([...ordered, ...followed]);
