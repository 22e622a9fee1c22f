import { randomBytes } from 'node:crypto';
import type { JSONSchema7 } from 'json-schema';
import { expect, it } from 'vitest';
import type { OnDestroy, ReferenceDefinition } from '../../../src/capability/definition.js';
import { type Place, placeText, textsAt } from '../../../src/capability/places.js';
import type { Model, ModelProperty } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { begin, type Evolving } from './evolving.js';
import { model, property, type } from './models.js';
import { generate, temporaryRoot } from './project.js';

const PLACES: readonly Place[] = [
  [{ member: 'lead' }],
  [{ member: "it's" }, { each: 'item' }],
  [{ member: 'list' }, { each: 'item' }, { member: 'id' }],
  [{ member: 'map' }, { each: 'value' }, { each: 'item' }],
  [{ member: 'open' }, { each: 'key', except: ['P1', 'title'] }],
  [{ branch: 'kind', of: ["it's"] }, { member: 'lead' }],
  [{ branch: 'kind', of: ["it's", null], others: true }, { member: 'lead' }],
  [{ branch: 'kind', of: [], others: true }, { member: 'only' }],
  [{ member: 'map' }, { each: 'value' }, { branch: '@"', of: ['X', null] }, { member: 'id' }],
];

// Random text, which PostgreSQL can't compress: no id, and no room for it in an index.
const LONG = randomBytes(6000).toString('base64');

const VALUES: readonly JsonValue[] = [
  {},
  { lead: 'P1' },
  { lead: 'nobody', other: 'P1' },
  { lead: 5, "it's": ['P1', 'P2', 'P1', 7, null, true, ['P3'], '', LONG] },
  { lead: ['P1'], "it's": 'P1', list: { id: 'P1' }, map: ['P1'], open: 'P1' },
  { list: [{ id: 'P2' }, {}, 'P3', { id: 5 }, { id: { id: 'P1' } }, { id: 'P1' }, null] },
  { map: { a: ['P1', 'P2'], b: 'P2', c: [], "d'e": ['P1'] } },
  { open: { P1: 1, P3: 2, title: 3, P2: null } },
  ...["it's", 'other', 5, null].map((kind) => ({ kind, lead: 'P2', only: 'P1' })),
  { lead: 'P3', only: 'P2' },
  ...['X', 'Y', 5, null].map((kind) => ({ map: { a: { '@"': kind, id: 'P1' } } })),
  { map: { a: { id: 'P2' }, b: 'P1' } },
];

const ANY: JSONSchema7 = { type: ['object', 'null'], additionalProperties: true };

/**
 * Records of references for objects that exist, where ids stand within values: the same on every
 * database.
 */
export function indexesNestedReferences(open: () => Promise<Evolving>): void {
  const refer = (places: readonly Place[], onDestroy: OnDestroy = 'restrict') =>
    places.map((place): ReferenceDefinition => {
      return { type: 'Person', place, onDestroy, acyclic: false };
    });
  const data = (references: readonly ReferenceDefinition[]) =>
    property('data', 'json', { nullable: true, schema: ANY, references });
  const person = (by: string | null) => {
    const computed = { kind: 'count', type: 'Task', by: by ?? '' } as const;
    const uses = property('uses', 'integer', { default: 0, access: 'serverSet', computed });
    return type('Person', [property('name', 'string'), ...(by === null ? [] : [uses])]);
  };
  const tasks = (
    references: readonly ReferenceDefinition[],
    by: string | null = null,
    drops: readonly string[] = [],
  ): Model => model([type('Task', [data(references)], { drops }), person(by)]);

  async function beginTasks(of: Model) {
    const { db, advance } = await begin(open, of);
    const put = async (id: string, value: JsonValue) => {
      const text = `'${JSON.stringify(value).replaceAll("'", "''")}'`;
      await db.run(`INSERT INTO "Task" ("accountId", "id", "created", "updated", "data")
        VALUES ('a', '${id}', 1, ${Date.now()}, ${text})`);
    };
    for (const [n, value] of VALUES.entries()) await put(`r${n + 10}`, value);
    await db.run(`INSERT INTO "Person" ("accountId", "id", "created", "updated", "name")
      VALUES ('a', 'P1', 1, 1, '')`);
    return { db, advance, put };
  }

  const records = async (db: Evolving) =>
    (await db.rows(`SELECT "fromId", "property", "toId" FROM "JmapReference"`))
      .map(({ fromId, property: key, toId }) => [fromId, key, toId].map(String).join(' '))
      .sort();

  const expected = (places: readonly Place[]): readonly string[] =>
    VALUES.flatMap((value, n) =>
      places.flatMap((place) =>
        [...textsAt([place], value)]
          .filter(({ length }) => length >= 1 && length <= 255)
          .map((id) => `r${n + 10} data/${placeText(place)} ${id}`),
      ),
    ).sort();

  it('makes the records of the objects that values name, as the engine finds them', async () => {
    const { db, advance, put } = await beginTasks(tasks([]));
    const now = tasks(refer(PLACES), 'data/lead', ['data']);
    await advance(now);
    expect(expected(PLACES).length).toBeGreaterThan(9);
    expect(await records(db)).toEqual(expected(PLACES));
    // An object of the version before has none until the new version follows it.
    await put('r98', { list: [{ id: 'P3' }], lead: 'P1' });
    await db.start({ types: now.capabilities.flatMap((capability) => capability.types) });
    const more = ['r98 data/lead P1', 'r98 data/list/*/id P3'];
    expect(await records(db)).toEqual([...expected(PLACES), ...more].sort());
    expect(await db.rows(`SELECT "uses" FROM "Person"`)).toEqual([{ uses: 2 }]);
  });

  it('makes those of other places, and removes those of places that refer no more', async () => {
    const { db, advance } = await beginTasks(tasks(refer(PLACES.slice(0, 3))));
    const second = PLACES.slice(2);
    // A row that was written by hand has no records yet: only new places get theirs.
    await advance(tasks(refer(second), null, ['data']));
    expect(await records(db)).toEqual(expected(PLACES.slice(3)));
    // A weak reference has none.
    await advance(tasks(refer(second, 'keep')));
    if (db.isShared) {
      expect(await records(db)).toEqual(expected(PLACES.slice(3)));
      await advance(tasks(refer(second, 'keep')), true);
    }
    expect(await records(db)).toEqual([]);
    await advance(tasks(refer(second, 'cascade')));
    expect(await records(db)).toEqual(expected(second));
    await advance(tasks([]));
    if (db.isShared) await advance(tasks([]), true);
    expect(await records(db)).toEqual([]);
  });

  it('is refused until the descriptor accepts that texts which exist name objects', async () => {
    const root = temporaryRoot();
    const place: Place = [{ each: 'item' }, { member: 'id' }];
    const items = (references: readonly ReferenceDefinition[], of: object = { type: 'string' }) =>
      property('data', 'json', {
        nullable: true,
        schema: { type: 'array', items: { type: 'object', properties: { id: of } } },
        references,
      });
    await generate(root, model([type('Task', [items([])]), person(null)]));
    const now = (one: ModelProperty, drops: readonly string[] = []) =>
      generate(root, model([type('Task', [one], { drops }), person(null)]));
    const { problems } = await now(items(refer([place])));
    expect(problems.map(({ code }) => code)).toEqual(['property-narrowed']);
    expect(problems[0]?.message).toContain('refers to Person objects now');
    expect((await now(items(refer([place])), ['data'])).problems).toEqual([]);
  });
}
