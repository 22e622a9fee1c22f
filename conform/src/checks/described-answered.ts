import { expect } from 'expect';
import { prefixOf, separatorOf } from '../../../src/capability/family-names.js';
import type { ModelAnswered, ModelType } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import { at } from '../expected.js';
import { NEEDS } from './described-values.js';
import { get } from './get.js';

/** Checks of properties that a server computes when they are read, or gives only on request. */

/** Returns a name of a family: of each part the first text that is allowed. */
const nameOf = (family: ModelAnswered): string =>
  prefixOf(family) +
  (family.parts ?? []).map(({ values }) => values?.[0] ?? 'x').join(separatorOf(family));

const listFamilies = ({ answered = [] }: ModelType): readonly ModelAnswered[] =>
  answered.filter(({ parts }) => parts !== undefined);

/** Returns the properties that are computed when they are read, families aside. */
const listPlain = ({ answered = [] }: ModelType): readonly ModelAnswered[] =>
  answered.filter(({ parts }) => parts === undefined);

/** Returns the names that a /get gives only if it is asked for them, families aside. */
const listOnRequest = (type: ModelType): readonly string[] =>
  [...type.properties, ...listPlain(type)].flatMap((one) =>
    one.onRequest === true && !('optional' in one && one.optional === true) ? [one.name] : [],
  );

export const describedAnsweredChecks = typeChecks('5.1', NEEDS, [
  {
    id: 'described-answered-given',
    level: 'must',
    rule:
      'A property that is given on request is there where properties names it, and not where ' +
      'properties is null.',
    restsOn: 'which properties are given on request',
    needs: { singleton: undefined },
    applies: ({ described }) =>
      listOnRequest(described).length > 0 ? null : 'Every property is always given.',
    async run(subject) {
      const names = listOnRequest(subject.described);
      const id = await subject.makeOne(subject.A1);
      const { list } = await get(subject, { ids: [id], properties: names });
      expect(Object.keys(list[0] ?? {}).sort()).toEqual(['id', ...names].sort());
      const whole = await get(subject, { ids: [id] });
      expect(Object.keys(whole.list[0] ?? {}).filter((name) => names.includes(name))).toEqual([]);
    },
  },
  {
    id: 'described-answered-names',
    level: 'must',
    rule:
      'A name of a family of properties is answered under that name, and a name that the family ' +
      'does not have is invalidArguments.',
    restsOn: 'the names of families',
    needs: { singleton: undefined },
    applies: ({ described }) =>
      listFamilies(described).length > 0 ? null : 'The type has no family of properties.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      for (const family of listFamilies(subject.described)) {
        const name = nameOf(family);
        const { list } = await get(subject, { ids: [id], properties: [name] });
        const isGiven = family.optional !== true || Object.hasOwn(list[0] ?? {}, name);
        expect(Object.keys(list[0] ?? {})).toEqual(isGiven ? ['id', name] : ['id']);
        const args = { accountId: subject.A1, ids: [id], properties: [prefixOf(family)] };
        expect(await subject.client.call(`${subject.type}/get`, args)).toEqual(
          subject.matchError('invalidArguments', prefixOf(family)),
        );
      }
    },
  },
  {
    id: 'described-answered-refused',
    section: '5.3',
    level: 'must',
    rule: 'A property that the server computes when it is read is invalidProperties in a create.',
    restsOn: 'which properties are computed',
    needs: { singleton: undefined },
    applies: ({ described }) =>
      (described.answered ?? []).length > 0 ? null : 'The type has no computed property.',
    async run(subject) {
      for (const answered of subject.described.answered ?? []) {
        const name = answered.parts === undefined ? answered.name : nameOf(answered);
        const { notCreated } = await subject.set({
          create: { k: { ...subject.create('t'), [name]: 'x' } },
        });
        expect(notCreated).toEqual({ k: subject.matchSetError('invalidProperties', [name]) });
      }
    },
  },
  {
    id: 'described-answered-whole',
    section: '5.3',
    level: 'must',
    rule:
      'An update may have a property that the server computes when it is read, as it is; another ' +
      'value is invalidProperties.',
    restsOn: 'which properties are computed',
    needs: { singleton: undefined, methods: ['get', 'set'] },
    applies: ({ described }) =>
      listPlain(described).length > 0 ? null : 'The type has no computed property but families.',
    async run(subject) {
      const properties = listPlain(subject.described).map(({ name }) => name);
      const id = await subject.makeOne(subject.A1);
      const shown = at((await get(subject, { ids: [id], properties })).list, 0);
      const same = await subject.set({ update: { [id]: shown } });
      expect([Object.keys(same.updated ?? {}), same.notUpdated]).toEqual([[id], null]);
      for (const name of properties) {
        const other = { ...shown, [name]: [shown[name] ?? null, 'other'] };
        const { notUpdated } = await subject.set({ update: { [id]: other } });
        expect(notUpdated).toEqual({ [id]: subject.matchSetError('invalidProperties', [name]) });
      }
    },
  },
]);
