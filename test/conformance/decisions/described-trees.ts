import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  findAcyclicLinks,
  findLinks,
  forEachLink,
  needLink,
} from '../../../conform/src/checks/described-links.js';
import { NEEDS } from '../../../conform/src/checks/described-trees.js';
import { matchRefusal } from '../../../conform/src/checks/refusal.js';
import { asSet, type Call } from '../../../conform/src/client/answers.js';
import type { Json, JsonMap } from '../../../conform/src/client/json.js';
import { at, entry, sameMembers } from '../../../conform/src/expected.js';
import { wrapIds } from '../../../conform/src/subject/links.js';
import type { Subject } from '../../../conform/src/subject/subject.js';

/** Ids of holders that an objectIsLinked tells, and some more than that. */
const TOLD = 10;
const HOLDERS = TOLD + 2;
const mayBeEmpty = (subject: Subject) =>
  findLinks(subject).filter(({ property }) => !subject.profile.given.includes(property));

/** Ids that a reference of any form holds. */
function heldBy(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.map(String);
  return value !== null && typeof value === 'object' ? Object.keys(value) : [];
}

/** Runs for each reference without cycles; its objects go again. */
async function eachAcyclic(
  subject: Subject,
  work: (name: string, to: (id: string) => JsonMap) => Promise<void>,
): Promise<void> {
  await forEachLink(subject, findAcyclicLinks(subject), async ({ name, reference }) =>
    work(name, (id) => ({ [name]: wrapIds(reference, id) })),
  );
}

const hasAcyclic = (subject: Subject): string | null =>
  findAcyclicLinks(subject).length > 0 ? null : 'The type has no reference without cycles.';

export const describedTreeDecisions = typeChecks('5.3', NEEDS, [
  {
    id: 'described-links-update',
    level: 'must',
    rule:
      'An update takes no id either that is nobody’s, another account’s or a later creation’s: ' +
      'invalidProperties.',
    needs: { singleton: 'both' },
    applies: needLink,
    async run(subject) {
      await forEachLink(
        subject,
        findLinks(subject),
        async ({ name, property, reference, targets }) => {
          if (property.access !== 'mutable') return;
          const { type } = reference;
          const foreign = await targets.make(type, subject.A2, 'foreign');
          const near = await targets.make(type, subject.A1, 'near');
          const id = await subject.putOne({ [name]: wrapIds(reference, near) });
          for (const other of [foreign, 'nothing', '#nobody']) {
            const { refused } = await subject.update(id, { [name]: wrapIds(reference, other) });
            expect({ name, other, refused }).toEqual({
              name,
              other,
              refused: matchRefusal(subject, name),
            });
          }
          expect((await subject.read(id))[name]).toEqual(wrapIds(reference, near));
        },
      );
    },
  },
  {
    id: 'described-links-gone',
    level: 'must',
    rule:
      'An object that is destroyed is nobody’s: a reference to it is invalidProperties. Where ' +
      'one call destroys it and creates what refers to it, nothing refers to what is gone ' +
      'afterwards.',
    applies: needLink,
    async run(subject) {
      await forEachLink(subject, findLinks(subject), async ({ name, reference, targets }) => {
        const { type } = reference;
        const target = await targets.prepareType(type);
        const gone = await targets.make(type, subject.A1, 'gone');
        const { destroyed } = await target.set({ destroy: [gone] });
        expect(destroyed).toEqual([gone]);
        const { refused } = await subject.put({ [name]: wrapIds(reference, gone) });
        expect({ name, refused }).toEqual({ name, refused: matchRefusal(subject, name) });
        if (type !== subject.type) return;
        const going = await targets.make(type, subject.A1, 'going');
        const k = { ...subject.create('k'), [name]: wrapIds(reference, going) };
        const answer = await subject.set({ create: { k }, destroy: [going] });
        if (!(answer.destroyed ?? []).includes(going)) return;
        const id = answer.created?.['k']?.id;
        const args = { accountId: subject.A1, ids: id === undefined ? [] : [id] };
        const { list } = await subject.client.get(type, args);
        for (const item of list) expect(heldBy(item[name])).not.toContain(going);
      });
    },
  },
  {
    id: 'described-links-holders',
    level: 'must',
    rule:
      'An object that others refer to, and that must not go, is objectIsLinked, with the first ' +
      `${TOLD} ids of the others. It goes if they go in the same call, in any order.`,
    needs: { room: HOLDERS + 1 },
    applies: (subject) =>
      restricting(subject).length > 0 ? null : 'No reference of the type keeps what it refers to.',
    async run(subject) {
      await forEachLink(subject, restricting(subject), async ({ name, reference, targets }) => {
        const { type, error = 'objectIsLinked' } = reference;
        const target = await targets.prepareType(type);
        const top = await targets.make(type, subject.A1, 'top');
        const create = Object.fromEntries(
          Array.from({ length: HOLDERS }, (_, n) => [
            `k${n}`,
            { ...subject.create('holds'), [name]: wrapIds(reference, top) },
          ]),
        );
        const { created } = await subject.set({ create });
        const ids = Object.keys(create).map((key) => entry(created, key).id);
        const before = await target.readState(subject.A1);
        const { destroyed, notDestroyed } = await target.set({ destroy: [top] });
        const objectIds = ids.slice(0, TOLD);
        expect({ name, destroyed, notDestroyed }).toEqual({
          name,
          destroyed: null,
          notDestroyed: { [top]: expect.objectContaining({ type: error, objectIds }) },
        });
        expect(await target.readState(subject.A1)).toBe(before);
        if (type !== subject.type) return;
        const answer = await subject.set({ destroy: [top, ...ids] });
        expect(answer.destroyed).toEqual(sameMembers([top, ...ids]));
        expect(Number(answer.newState) - Number(answer.oldState)).toBe(HOLDERS + 1);
      });
    },
  },
  {
    id: 'described-links-turned',
    level: 'must',
    rule:
      'Whether there is a cycle is judged at the end of the call: a chain can be turned around ' +
      'in one, and two updates can’t close a circle together.',
    applies: hasAcyclic,
    async run(subject) {
      await eachAcyclic(subject, async (name, to) => {
        const top = await subject.putOne({});
        const leaf = await subject.putOne(to(top));
        const none = (await subject.read(top))[name] ?? null;
        const turned = await subject.set({ update: { [top]: to(leaf), [leaf]: { [name]: none } } });
        expect({ name, notUpdated: turned.notUpdated }).toEqual({ name, notUpdated: null });
        const now = async (id: string) => heldBy((await subject.read(id))[name]);
        expect([await now(top), await now(leaf)]).toEqual([[leaf], []]);
        await subject.set({ update: { [top]: { [name]: none } } });
        const { notUpdated } = await subject.set({ update: { [top]: to(leaf), [leaf]: to(top) } });
        expect(Object.values(notUpdated ?? {})).toContainEqual(matchRefusal(subject, name));
        expect([...(await now(top)), ...(await now(leaf))].length).toBeLessThan(2);
      });
    },
  },
  {
    id: 'described-links-in-filter',
    section: '5.5',
    level: 'must',
    rule:
      'A condition on a reference finds what holds the id, and null what holds none; a creation ' +
      'id is nobody’s there and finds nothing.',
    needs: { methods: ['query'] },
    applies: (subject) =>
      filtered(subject).length > 0
        ? null
        : 'The type has no filter on a reference that may be empty.',
    async run(subject) {
      await forEachLink(
        subject,
        filtered(subject),
        async ({ name, property, reference, targets }) => {
          const filters = subject.described.filters.filter((one) => one.property === property);
          const target = await targets.prepareType(reference.type);
          const none = await subject.putOne({});
          const held = wrapIds(reference, '#p');
          const calls: Call[] = [
            [
              `${target.type}/set`,
              { accountId: subject.A1, create: { p: target.create('p') } },
              'p',
            ],
            [
              `${subject.type}/set`,
              { accountId: subject.A1, create: { c: { ...subject.create('c'), [name]: held } } },
              'c',
            ],
            ...filters.map(
              (filter, n): Call => [
                `${subject.type}/query`,
                { accountId: subject.A1, filter: { [filter.name]: '#p' } },
                `q${n}`,
              ],
            ),
          ];
          const { methodResponses } = await subject.clientOfAll.api(calls);
          const p = entry(asSet(at(methodResponses, 0)[1]).created, 'p').id;
          targets.add(target, subject.A1, p);
          const c = entry(asSet(at(methodResponses, 1)[1]).created, 'c').id;
          for (const response of methodResponses.slice(2)) expect(response[1]['ids']).toEqual([]);
          const find = async (filter: JsonMap) =>
            (await subject.client.query(subject.type, { accountId: subject.A1, filter })).ids;
          for (const filter of filters) {
            expect(await find({ [filter.name]: p })).toEqual([c]);
            if (filter.operator !== 'equals' || !property.nullable) continue;
            const ids = await find({ [filter.name]: null });
            expect([ids.includes(none), ids.includes(c)]).toEqual([true, false]);
          }
        },
      );
    },
  },
]);

/** References whose object must stay while they hold it, and that any number may hold. */
function restricting(subject: Subject) {
  return findLinks(subject).filter(
    ({ property, reference }) =>
      reference.onDestroy === 'restrict' &&
      !subject.described.uniques.some(({ properties }) => properties.includes(property)),
  );
}

/** References that a condition looks at, by equality or as a key of a map. */
function filtered(subject: Subject) {
  return mayBeEmpty(subject).filter(({ property, reference }) =>
    subject.described.filters.some(
      (filter) =>
        filter.property === property &&
        (reference.place.length === 0
          ? filter.operator === 'equals'
          : filter.operator !== 'isNull'),
    ),
  );
}
