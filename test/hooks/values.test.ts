import { Ajv } from 'ajv';
import { afterEach, describe, expect, test } from 'vitest';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import type { TypeHooks } from '../../src/capability/hooks.js';
import type { Validator } from '../../src/capability/validation.js';
import { type Json, Rig } from '../methods/rig.js';
import { Widget } from '../methods/widget.js';

// The values of hooks are held to the schema; a wrong value is the server's failure and is not
// stored.

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

const SERVER = {
  count: { type: 'integer', minimum: 0, maximum: 100 },
  kind: { type: 'string', enum: ['small', 'large'] },
  score: { type: ['number', 'null'] },
  due: { type: ['string', 'null'] },
  tags: { type: 'object', additionalProperties: { const: true } },
};

/** The widget with computed properties, and the validator that the generator emits for them. */
function widgetWith(computed: Readonly<Record<string, NonNullable<Json>>>): DataTypeDefinition {
  const names = Object.keys(computed);
  const properties = Object.fromEntries(
    Object.entries(SERVER).filter(([name]) => names.includes(name)),
  );
  const ajv = new Ajv({ allErrors: true, strict: false });
  const server = ajv.compile({ type: 'object', properties, additionalProperties: false });
  return {
    ...Widget,
    properties: Widget.properties.map((property) =>
      names.includes(property.name)
        ? { ...property, access: 'serverSet', computed: computed[property.name] }
        : property,
    ),
    validate: { ...Widget.validate, server: server as Validator },
  };
}

const from = (...properties: string[]): object => ({ kind: 'from', properties });

function rigOf(widget: DataTypeDefinition, hooks: TypeHooks<Json>): Rig {
  rig = new Rig({}, { widget, hooks: { types: { Widget: hooks } } });
  return rig;
}

async function expectFailure(own: Rig, why: string | RegExp): Promise<void> {
  const answer = await own.call('Widget/set', { create: { a: { title: 'x' } } });
  expect(answer.error).toBe('serverFail');
  expect(JSON.stringify(answer)).not.toMatch(/compute|count|score/);
  expect(String(own.failures[0]?.error)).toMatch(why);
  const { list, state } = await own.call('Widget/get', { ids: null });
  expect([list, state]).toEqual([[], '0']);
}

class Point {
  readonly x = 1;
}

describe('compute: a wrong value is serverFail, logged by property and value, not stored', () => {
  const circular: Json = {};
  circular.self = circular;
  for (const [name, value, why] of [
    ['count', 'seven', /compute of Widget\.count gave "seven" for Widget\.count: .*integer/],
    ['count', 101, /gave 101 for Widget\.count: .*100/],
    ['count', 1.5, /gave 1\.5 .*integer/],
    ['count', null, /gave null for Widget\.count/],
    ['count', undefined, /gave null for Widget\.count/],
    ['count', Number.NaN, /gave NaN, which is no JSON/],
    ['count', 3n, /gave bigint, which is no JSON/],
    ['count', Promise.resolve(1), /gave a Promise, which is no JSON/],
    ['kind', 'huge', /gave "huge" for Widget\.kind: .*"small", "large"/],
    ['score', Number.POSITIVE_INFINITY, /gave Infinity, which is no JSON/],
    ['due', new Date(0), /gave a Date, which is no JSON/],
    ['due', 'tomorrow', /gave "tomorrow" for Widget\.due: .*UTCDate/],
    ['tags', { a: 'yes' }, /for Widget\.tags/],
    ['tags', new Map([['a', true]]), /gave a Map, which is no JSON/],
    ['tags', new Point(), /gave a Point, which is no JSON/],
    ['tags', circular, /nested deeper than 500 levels/],
    ['kind', '\ud83d', /half a character/],
  ] as const) {
    test(`${name}: ${typeof value === 'object' ? why.source : String(value)}`, async () => {
      const own = rigOf(widgetWith({ [name]: from('title') }), {
        compute: { [name]: () => value },
      });
      await expectFailure(own, why);
    });
  }

  test('a hook that throws any value is named', async () => {
    for (const [thrown, why] of [
      [new Error('the cause'), /compute of Widget\.count threw Error: the cause/],
      ['a text', /threw what is no Error: 'a text'/],
      [undefined, /threw what is no Error: undefined/],
    ] as const) {
      const own = rigOf(widgetWith({ count: from('title') }), {
        compute: {
          count: () => {
            throw thrown;
          },
        },
      });
      await expectFailure(own, why);
      await own.close();
    }
    rig = undefined;
  });

  test('a property that clients do not see is logged without its value', async () => {
    const widget = widgetWith({ count: from('title') });
    const hidden = {
      ...widget,
      properties: widget.properties.map((property) =>
        property.name === 'count' ? { ...property, access: 'internal' as const } : property,
      ),
    };
    const own = rigOf(hidden, { compute: { count: () => 'top secret' } });
    await own.call('Widget/set', { create: { a: { title: 'x' } } });
    expect(String(own.failures[0]?.error)).toContain('gave a value for Widget.count');
    expect(String(own.failures[0]?.error)).not.toContain('top secret');
  });
});

test('compute: a UTCDate is stored in its one form; computed sources come first', async () => {
  // Declared in the order in which they can't be computed.
  const widget = widgetWith({ count: from('score'), score: from('title'), due: from('title') });
  const own = rigOf(widget, {
    compute: {
      count: ({ score }) => score * 2,
      score: ({ title }) => title.length,
      due: () => '2026-01-31T10:00:00.000Z',
    },
  });
  const { created } = await own.call('Widget/set', { create: { a: { title: 'four' } } });
  expect(created.a).toMatchObject({ count: 8, score: 4, due: '2026-01-31T10:00:00Z' });
  const { list } = await own.call('Widget/get', { ids: [created.a.id] });
  expect(list[0]).toMatchObject({ count: 8, score: 4, due: '2026-01-31T10:00:00Z' });
});

test('hooks get frozen values, and can not change those that are written', async () => {
  const tried: string[] = [];
  const attempt = (what: string, change: () => void): void => {
    try {
      change();
    } catch (error) {
      tried.push(`${what} ${(error as Error).name}`);
    }
  };
  const widget = widgetWith({ count: from('title') });
  const own = rigOf(widget, {
    compute: {
      count(object: Json) {
        attempt('compute', () => {
          object.title = 'changed';
        });
        return 1;
      },
    },
    check([wanted]: Json) {
      attempt('check', () => {
        wanted.after.tags.more = true;
      });
    },
    async inTransaction({ created }) {
      attempt('inTransaction', () => {
        (created[0] as Json).meta.a = 1;
      });
      attempt('list', () => {
        (created as Json[]).pop();
      });
    },
  });
  const { created } = await own.call('Widget/set', {
    create: { a: { title: 'kept', tags: { a: true } } },
  });
  expect(tried).toEqual([
    'compute TypeError',
    'check TypeError',
    'inTransaction TypeError',
    'list TypeError',
  ]);
  const { list } = await own.call('Widget/get', { ids: [created.a.id] });
  expect(list[0]).toMatchObject({ title: 'kept', tags: { a: true }, meta: {}, count: 1 });
});

describe('computeOn', () => {
  const on = { kind: 'on', sources: [{ type: 'Widget', property: 'title' }] };
  for (const [what, said, why] of [
    ['no Map', { a: 1 }, /computeOn of Widget\.count gave no Map of ids to values/],
    ['null', null, /gave no Map/],
    ['a wrong id', new Map([[1, 1]]), /gave a Map with a number as id/],
    ['a wrong value', new Map([['nobody', 'x']]), /gave "x" for Widget\.count/],
  ] as const) {
    test(`${what} is serverFail and undoes the call`, async () => {
      const own = rigOf(widgetWith({ count: on }), {
        computeOn: { count: async () => said as Json },
      });
      await expectFailure(own, why);
    });
  }
});

describe('tx.set holds what hooks alone may write to its schema', () => {
  const request = async (create: object): Promise<Json> => {
    let answer: Json;
    const widget = widgetWith({ kind: from('title') });
    const count = widget.properties.map((property) =>
      property.name === 'count' ? { ...property, access: 'internal' as const } : property,
    );
    const server = new Ajv({ strict: false }).compile({ properties: SERVER });
    const validate = { ...widget.validate, server: server as Validator };
    const type = { ...widget, properties: count, validate };
    const own = rigOf(type, {
      compute: { kind: () => 'large' },
      async inTransaction({ created }, _call, tx) {
        if (created[0]?.title === 'x')
          answer = await tx.set(type, { create: { k: create } }, { partial: true });
      },
    });
    const outer = await own.call('Widget/set', { create: { a: { title: 'x' } } });
    return { ...answer, outer, failure: String(own.failures[0]?.error) };
  };

  test('a wrong internal value and a computed one are refused', async () => {
    expect((await request({ title: 'y', count: 101 })).notCreated.k).toMatchObject({
      type: 'invalidProperties',
      properties: ['count'],
    });
    await rig?.close();
    expect((await request({ title: 'y', kind: 'small' })).notCreated.k.description).toContain(
      '"kind" is computed',
    );
    await rig?.close();
    expect((await request({ title: 'y', count: 7 })).created.k.id).toBeDefined();
  });

  test('a value that is no JSON is reported by its place', async () => {
    const { outer, failure } = await request({ title: 'y', meta: { a: new Date(0) } });
    expect(outer.error).toBe('serverFail');
    expect(failure).toContain('tx.set of Widget gave a Date at "create/k/meta/a"');
  });
});
