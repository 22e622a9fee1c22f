import { expect } from 'vitest';
import type { ModelProperty } from '../../../scripts/generator/model.js';
import type { ReferenceDefinition } from '../../../src/capability/definition.js';
import { asSet } from '../../support/client.js';
import { at, entry, setError } from '../../support/expected.js';
import type { Json, JsonMap } from '../../support/json.js';
import { writable } from '../descriptor.js';
import type { Suite } from '../suite.js';
import { refusal } from './described.js';

/** Ids as a reference of this form holds them. */
export function wrapped(form: ReferenceDefinition['form'], ...ids: readonly string[]): Json {
  if (form === 'single') return ids[0] ?? null;
  return form === 'list' ? [...ids] : Object.fromEntries(ids.map((id) => [id, true]));
}

/** References of a descriptor: what they may hold, and what follows where what they hold is destroyed. */
export function describedLinkCases(suite: Suite): void {
  const { profile, described, describe, it } = suite;
  const links = writable(described).flatMap((property) =>
    property.reference === undefined ? [] : [{ property, reference: property.reference }],
  );
  if (links.length === 0) return;

  const each = async (
    run: (
      name: string,
      reference: ReferenceDefinition,
      target: Suite,
      property: ModelProperty,
    ) => Promise<void>,
  ) => {
    for (const { property, reference } of links) {
      const target = suite.of(reference.type);
      await target.prepare([suite.A1, suite.A2]);
      await run(property.name, reference, target, property);
    }
  };

  describe(`${profile.name}: references, as its descriptor says`, () => {
    it('cases 160 and 231, 5.3: ids of objects of the same account alone', async () => {
      await each(async (name, { form }, target) => {
        const foreign = await target.one(suite.A2, 'foreign');
        for (const id of [foreign, 'nothing', '#nobody', 'no id', '']) {
          const { refused } = await suite.put({ [name]: wrapped(form, id) });
          expect({ name, id, refused }).toEqual({ name, id, refused: refusal(name) });
        }
        const near = await target.one(suite.A1, 'near');
        const id = await suite.put1({ [name]: wrapped(form, near) });
        expect((await suite.read(id))[name]).toEqual(wrapped(form, near));
        await suite.set({ destroy: [id] });
        await target.set({ destroy: [near] });
      });
    });

    it('cases 145 and 146, 5.3: creation ids of earlier calls and of the same call', async () => {
      await each(async (name, { form, type }, target) => {
        const object = { ...suite.create('holds'), [name]: wrapped(form, '#p') };
        const calls =
          type === suite.type
            ? [
                [
                  `${type}/set`,
                  { accountId: suite.A1, create: { c: object, p: target.create('p') } },
                  'c',
                ],
              ]
            : [
                [`${type}/set`, { accountId: suite.A1, create: { p: target.create('p') } }, 'p'],
                [`${suite.type}/set`, { accountId: suite.A1, create: { c: object } }, 'c'],
              ];
        const { methodResponses } = await suite.clientOfAll.api(calls as never);
        const { id } = entry(asSet(at(methodResponses, 0)[1]).created, 'p');
        const made = entry(asSet(at(methodResponses, -1)[1]).created, 'c');
        expect(made[name]).toEqual(wrapped(form, id));
        expect((await suite.read(made.id))[name]).toEqual(wrapped(form, id));
        await suite.set({ destroy: [made.id] });
      });
    });

    it('case 155, 5.3: a creation id of a later call is nobody yet', async () => {
      await each(async (name, { form, type }, target) => {
        const object = { ...suite.create('early'), [name]: wrapped(form, '#late') };
        const { methodResponses } = await suite.clientOfAll.api([
          [`${suite.type}/set`, { accountId: suite.A1, create: { c: object } }, 'c'],
          [`${type}/set`, { accountId: suite.A1, create: { late: target.create('late') } }, 'p'],
        ]);
        const { created, notCreated } = asSet(at(methodResponses, 0)[1]);
        expect([name, created, notCreated]).toEqual([name, null, { c: refusal(name) }]);
      });
    });

    it('onDestroy: the destroy is refused, follows or takes the reference out', async () => {
      await each(async (name, { form, onDestroy }, target) => {
        const [gone = '', stays = ''] = await target.make(suite.A1, 'gone', 'stays');
        const ids = form === 'single' ? [gone] : [gone, stays];
        const holder = await suite.put1({ [name]: wrapped(form, ...ids) });
        const before = await suite.snapshot(suite.A1);
        const sinceState = await suite.state(suite.A1);
        const answer = await target.set({ destroy: [gone] });
        const changes = await suite.client.changes(suite.type, { accountId: suite.A1, sinceState });
        if (onDestroy === 'restrict') {
          expect(answer.notDestroyed).toEqual({
            [gone]: expect.objectContaining({ type: 'objectIsLinked', objectIds: [holder] }),
          });
          expect(await suite.snapshot(suite.A1)).toEqual(before);
        } else {
          expect(answer.destroyed).toContain(gone);
          const changed = onDestroy === 'cascade' ? changes.destroyed : changes.updated;
          expect(changed).toContain(holder);
        }
        if (onDestroy === 'setNull')
          expect((await suite.read(holder))[name]).toEqual(wrapped(form, ...ids.slice(1)));
        if (onDestroy !== 'cascade') await suite.set({ destroy: [holder] });
        await target.set({ destroy: [gone, stays] });
      });
    });

    const acyclic = links.filter(
      ({ property, reference }) => reference.acyclic && property.access === 'mutable',
    );
    if (acyclic.length > 0)
      it('case 286, 5.3: neither itself nor a descendant', async () => {
        for (const { property, reference } of acyclic) {
          const { name } = property;
          const top = await suite.put1({});
          const middle = await suite.put1({ [name]: wrapped(reference.form, top) });
          const leaf = await suite.put1({ [name]: wrapped(reference.form, middle) });
          for (const id of [top, middle, leaf]) {
            const { refused } = await suite.update(top, { [name]: wrapped(reference.form, id) });
            expect({ name, refused }).toEqual({
              name,
              refused: setError('invalidProperties', [name]),
            });
          }
          await suite.set({ destroy: [leaf, middle, top] });
        }
      });

    suite.with('copy')('decision 17: a copied reference is refused unless overridden', async () => {
      await each(async (name, { form }, target, property) => {
        const [near = ''] = await target.make(suite.A1, 'near');
        const id = await suite.put1({ [name]: wrapped(form, near) });
        const { [name]: _, ...rest } = suite.moved();
        const copy = async (more: JsonMap) =>
          suite.client.copy(suite.type, {
            fromAccountId: suite.A1,
            accountId: suite.A2,
            create: { k: { id, ...rest, ...more } },
          });
        expect((await copy({})).notCreated).toEqual({ k: refusal(name) });
        const [far = ''] = await target.make(suite.A2, 'far');
        const { notCreated } = await copy({ [name]: wrapped(form, far) });
        expect({ name, notCreated }).toEqual({ name, notCreated: null });
        if (!property.required && property.nullable)
          expect((await copy({ [name]: null, ...another(suite) })).notCreated).toBeNull();
        await suite.set({ destroy: [id] });
      });
    });
  });
}

/** What a second copy of one object must have of its own. */
function another(suite: Suite): JsonMap {
  const { given } = suite.profile;
  const own = given.filter(({ reference, blob }) => reference === undefined && !blob);
  return Object.fromEntries(own.map(({ name }) => [name, suite.differing(name)]));
}
