import { setTimeout as wait } from 'node:timers/promises';
import { Ajv } from 'ajv';
import { afterEach, describe, expect, test } from 'vitest';
import { methods as standardMethods } from '../../generated/standard/methods.js';
import * as standard from '../../generated/standard/validators.js';
import type { MethodExtension } from '../../src/capability/hooks.js';
import { HookRefusal } from '../../src/capability/index.js';
import type { Validator } from '../../src/capability/validation.js';
import { type Json, Rig } from '../methods/rig.js';

// RFC 8620 5 as RFC 8621 extends it: arguments and response members that a descriptor adds.

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

type Verb = 'get' | 'query' | 'queryChanges' | 'set' | 'copy';

const HEARD = { heard: { type: 'boolean' }, note: { type: 'string', maxLength: 5 } };

const WHOLE = {
  get: standard.getArguments,
  query: standard.queryArguments,
  queryChanges: standard.queryChangesArguments,
  set: standard.setArguments,
  copy: standard.copyArguments,
} as const;

/**
 * The schemas that the generator emits for further arguments (`shout`) and members (`heard`,
 * `note`).
 */
function extendedBy(
  verb: Verb,
  extension: MethodExtension<unknown, Json, Json, Json, Json>,
  timeout = 2000,
): Rig {
  const ajv = new Ajv({ strict: false });
  const validateResponse = ajv.compile({
    type: 'object',
    properties: HEARD,
    additionalProperties: false,
  }) as Validator;
  const whole = WHOLE[verb];
  const validateArguments: Validator = (data) => {
    const { shout, ...rest } = data as Json;
    if (!whole(rest)) {
      validateArguments.errors = whole.errors ?? null;
      return false;
    }
    const place = { instancePath: '/shout', schemaPath: '#/shout' };
    validateArguments.errors = [{ ...place, keyword: 'type', params: {} }];
    return ['undefined', 'boolean', 'object'].includes(typeof shout);
  };
  const hooks = { types: { Widget: { methods: { [verb]: extension } } } };
  rig = new Rig({}, { hooks, timeout });
  const methods = rig.services.registry.methods as Map<string, Json>;
  methods.set(`Widget/${verb}`, {
    ...methods.get(`Widget/${verb}`),
    furtherArguments: ['shout'],
    argumentNames: [...(standardMethods[verb].argumentNames ?? []), 'shout'],
    validateArguments,
    validateResponse,
  });
  return rig;
}

describe('before', () => {
  test('gets the standard arguments, which it may replace, and the further ones', async () => {
    const seen: Json[] = [];
    const own = extendedBy('query', {
      before(args, call) {
        seen.push(args, call.arguments);
        return { ...args, accountId: 'ax', filter: { title: 'LOUD' } };
      },
    });
    const [, loud] = await own.create('Widget', [{ title: 'quiet' }, { title: 'LOUD' }]);
    expect((await own.call('Widget/query', { shout: true })).ids).toEqual([loud]);
    expect(seen).toEqual([{ accountId: 'a1' }, { shout: true }]);
  });

  test('can change no further argument, however deep', async () => {
    const frozen: boolean[] = [];
    const own = extendedBy('query', {
      before(args, { arguments: further }) {
        const shout = further['shout'] as Json;
        frozen.push(...[further, shout, shout['words']].map(Object.isFrozen));
        return args;
      },
    });
    await own.call('Widget/query', { shout: { words: ['a'] } });
    expect(frozen).toEqual([true, true, true]);
  });

  test('RFC 8620 5.4: runs for a copy’s implicit /set, without further arguments', async () => {
    const seen: Json[] = [];
    const own = extendedBy('set', {
      before(args, call) {
        if ('destroy' in args) seen.push([call.accountId, args, call.arguments]);
        return args;
      },
    });
    const [id] = await own.create('Widget', [{ title: 'x' }]);
    const accounts = { fromAccountId: 'a1', accountId: 'a2' };
    const [, [name, { destroyed }]] = (await own.calls([
      ['Widget/copy', { ...accounts, create: { k: { id } }, onSuccessDestroyOriginal: true }],
    ])) as [Json, Json];
    expect([name, destroyed]).toEqual(['Widget/set', [id]]);
    expect(seen).toEqual([['a1', { accountId: 'a1', ifInState: null, destroy: [id] }, {}]]);
  });

  for (const [what, given, why] of [
    ['nothing', undefined, 'gave null for arguments, which is no object'],
    ['a list', [], 'gave [] for arguments, which is no object'],
    ['an unknown argument', { accountId: 'a1', nope: 1 }, '"nope" is not known'],
    ['a wrong value', { accountId: 'a1', limit: 'ten' }, '"limit" must be'],
    ['a further one', { accountId: 'a1', shout: true }, '"shout" is no standard argument'],
  ] as const) {
    test(`${what} in their place is the server's failure`, async () => {
      const own = extendedBy('query', { before: () => given as Json });
      expect((await own.call('Widget/query')).error).toBe('serverFail');
      expect(String(own.failures[0]?.error)).toContain('The hook before of Widget/query gave');
      expect(String(own.failures[0]?.error)).toContain(why);
    });
  }

  describe.each(['query', 'queryChanges'] as const)('of a /%s', (verb) => {
    const since = verb === 'query' ? {} : { sinceQueryState: '0.x' };
    const wide = (count: number) => ({
      operator: 'OR',
      conditions: Array(count).fill({ title: 'x' }),
    });
    const deep = (levels: number, inner: Json = {}): Json => {
      let filter = inner;
      for (let level = 1; level < levels; level += 1)
        filter = { operator: 'NOT', conditions: [filter] };
      return filter;
    };
    const list = (levels: number): Json => (levels === 0 ? 'x' : [list(levels - 1)]);

    test.each([
      ['deep', deep(65)],
      ['very deep', deep(1000)],
      ['wide', wide(1000)],
      ['deep without operators', { conditions: [{ conditions: [deep(63)] }] }],
      ['deep in what it compares with', deep(64, { title: list(2) })],
    ])('sees no filter that is too %s', async (_, filter) => {
      let asked = 0;
      const own = extendedBy(verb, {
        before: (args) => {
          asked += 1;
          return args;
        },
      });
      const { error } = await own.call(`Widget/${verb}`, { filter, ...since });
      expect([error, asked]).toEqual(['unsupportedFilter', 0]);
      expect(own.failures).toEqual([]);
    });

    test('sees a filter at the bounds, and its own is held to them', async () => {
      let seen: Json;
      let given: Json;
      const own = extendedBy(verb, {
        before: (args) => {
          seen = args['filter'];
          return { ...args, filter: given ?? seen };
        },
      });
      for (const filter of [deep(64), wide(999)]) {
        await own.call(`Widget/${verb}`, { filter, ...since });
        expect(seen).toEqual(filter);
      }
      given = deep(65);
      const answer = await own.call(`Widget/${verb}`, since);
      expect(answer.error).toBe('unsupportedFilter');
    });
  });

  test('of a /set sees only typed objects and patches, under declared names', async () => {
    const seen: Json[] = [];
    const own = extendedBy('set', {
      before(args: Json) {
        seen.push([args.create, args.update]);
        return { ...args, create: { ...args.create, own: { title: 'own' } } };
      },
    });
    const [id = ''] = await own.create('Widget', [{ title: 'first' }]);
    seen.length = 0;
    const answer = await own.call('Widget/set', {
      create: {
        fine: { title: 'a', rank_number: 1 },
        untitled: { rankNumber: 2 },
        number: { title: 5 },
        nothing: null,
        unknown: { title: 'b', nope: true },
        set: { title: 'c', count: 4 },
      },
      update: { [id]: { rankNumber: 'high' }, '#fine': { 'tags/a': true, title: 'd' } },
    });
    expect(seen).toEqual([
      [
        { fine: { title: 'a', rankNumber: 1 }, untitled: { rankNumber: 2 } },
        { '#fine': { 'tags/a': true, title: 'd' } },
      ],
    ]);
    expect(Object.keys(answer.created)).toEqual(['fine', 'own']);
    const refused = ['nothing', 'number', 'set', 'unknown', 'untitled'];
    expect(Object.keys(answer.notCreated).sort()).toEqual(refused);
    expect(answer.notCreated.number.properties).toEqual(['title']);
    expect(Object.keys(answer.notUpdated)).toEqual([id]);
  });

  test('of a /set or /get is asked for no more objects than the limits allow', async () => {
    const own = extendedBy('set', {
      before: () => {
        throw new Error('not asked');
      },
    });
    const create = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`k${at}`, {}]));
    expect((await own.call('Widget/set', { create })).error).toBe('requestTooLarge');
    expect(own.failures).toEqual([]);
  });

  test('a /query sees no filter or sort that the type does not have', async () => {
    const own = extendedBy('query', {
      before: () => {
        throw new Error('not asked');
      },
    });
    expect((await own.call('Widget/query', { filter: { nope: 1 } })).error).toBe(
      'unsupportedFilter',
    );
    const sort = [{ property: 'nope' }];
    expect((await own.call('Widget/query', { sort })).error).toBe('unsupportedSort');
    expect(own.failures).toEqual([]);
  });

  test('wrong arguments of the client are invalidArguments and reach no hook', async () => {
    let asked = 0;
    const own = extendedBy('query', {
      before: (args) => {
        asked += 1;
        return args;
      },
    });
    expect((await own.call('Widget/query', { limit: 'ten' })).error).toBe('invalidArguments');
    expect((await own.call('Widget/query', { shout: 'yes' })).error).toBe('invalidArguments');
    expect(asked).toBe(0);
  });
});

describe('after', () => {
  test('adds the declared members of the response', async () => {
    const own = extendedBy('query', {
      after: (response, call) => ({ heard: call.arguments.shout, note: `${response['position']}` }),
    });
    const answer = await own.call('Widget/query', { shout: true });
    expect(answer).toMatchObject({ heard: true, note: '0', ids: [] });
  });

  for (const [what, given, why] of [
    ['null', null, 'gave null for response members'],
    ['a text', 'heard', 'gave "heard" for response members'],
    ['an undeclared member', { more: 1 }, '"more" is not known'],
    ['a standard member', { ids: ['mine'] }, '"ids" is not known'],
    ['a wrong value', { heard: 'yes' }, '"heard" must be boolean'],
    ['no JSON', { note: new Date(0) }, 'gave a Date at "note"'],
  ] as const) {
    test(`${what} is refused: serverFail, logged by the name of the hook`, async () => {
      const own = extendedBy('query', { after: () => given as Json });
      const answer = await own.call('Widget/query');
      expect(answer.error).toBe('serverFail');
      expect(answer.ids).toBeUndefined();
      expect(String(own.failures[0]?.error)).toContain('The hook after of Widget/query gave');
      expect(String(own.failures[0]?.error)).toContain(why);
    });
  }

  test('the answer that it gets is frozen', async () => {
    const own = extendedBy('get', {
      after: ({ list }: Json) => {
        list.push({ id: 'mine' });
        return {};
      },
    });
    expect((await own.call('Widget/get', { ids: null })).error).toBe('serverFail');
    expect(String(own.failures[0]?.error)).toContain('TypeError');
  });

  test('may give no members for a type that declares none', async () => {
    rig = new Rig(
      {},
      { hooks: { types: { Widget: { methods: { get: { after: () => ({ extra: 1 }) } } } } } },
    );
    expect((await rig.call('Widget/get', { ids: null })).error).toBe('serverFail');
    expect(String(rig.failures[0]?.error)).toContain('"extra" is not declared');
  });
});

describe('after of a method that writes runs before the commit', () => {
  const create = { create: { k: { title: 'made' } } };

  test('sees the call’s writes, adds members to the answer, keeps creation ids', async () => {
    const own = extendedBy('set', {
      after: async (_response, _call, reader) => {
        const { Widget } = await import('../methods/widget.js');
        return { note: String((await reader.get(Widget, null)).length) };
      },
    });
    const [[, made], [, got]] = (await own.calls([
      ['Widget/set', { accountId: 'a1', ...create }],
      ['Widget/set', { accountId: 'a1', update: { '#k': { rankNumber: 3 } } }],
    ])) as [Json, Json];
    expect(made).toMatchObject({ note: '1', newState: '1' });
    expect(Object.keys(got.updated)).toEqual([made.created.k.id]);
  });

  for (const [what, after] of [
    ['throws', () => Promise.reject(new Error('no'))],
    ['refuses', () => Promise.reject(new HookRefusal('forbidden', 'no'))],
    ['takes too long', () => wait(5000)],
    ['gives what is not declared', () => ({ more: 1 })],
  ] as const) {
    test(`where it ${what}, nothing of the call stays, and the calls around it do`, async () => {
      const own = extendedBy('set', { after: after as Json }, 60);
      const note = { accountId: 'a1', create: { n: { title: 'other' } } };
      const [[first], [answered, failure], [third]] = (await own.calls([
        ['Note/set', note],
        ['Widget/set', { accountId: 'a1', ...create }],
        ['Note/set', note],
      ])) as [Json, Json, Json];
      expect([first, answered, third]).toEqual(['Note/set', 'error', 'Note/set']);
      expect(failure.type).toBe(what === 'refuses' ? 'forbidden' : 'serverFail');
      const { list, state } = await own.call('Widget/get', { ids: null });
      expect([list, state]).toEqual([[], '0']);
      expect((await own.call('Note/get', { ids: null })).list).toHaveLength(2);
    });
  }

  test('runs for a /copy, too', async () => {
    const own = extendedBy('copy', { after: () => ({ heard: true }) });
    const [id] = await own.create('Widget', [{ title: 'original' }]);
    const [[, answer]] = (await own.calls([
      ['Widget/copy', { fromAccountId: 'a1', accountId: 'a2', create: { c: { id } } }],
    ])) as [Json];
    expect(answer.heard).toBe(true);
    expect(answer.created.c.id).toBeDefined();
  });
});
