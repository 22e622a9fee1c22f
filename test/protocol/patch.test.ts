import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/protocol/json.js';
import { escapeToken } from '../../src/protocol/json-pointer.js';
import { type PatchResult, patchSteps } from '../../src/protocol/patch.js';
import { finish } from '../../src/runtime/paused-work.js';

const applyPatch = (current: JsonObject, patch: JsonObject): PatchResult =>
  finish(patchSteps(current, patch));

const json = (text: string): JsonObject => JSON.parse(text) as JsonObject;

const CURRENT = `{"title":"t","rank":1,"due":null,"list":[1,{"a":1}],
  "tags":{"foo":true,"a/b":true,"":true},
  "meta":{"a":{"b":{"c":1}},"note":null},"digits":{"0":{"1":2}}}`;

/** The touched properties as text, so that `__proto__` and undefined show. */
function touched(patch: string, current = CURRENT): string {
  const before = json(current);
  const result = applyPatch(before, json(patch));
  expect(JSON.stringify(before)).toBe(JSON.stringify(json(current)));
  if (result.kind === 'invalidPatch') return 'invalidPatch';
  return Array.from(
    result.touched,
    ([name, value]) => `${name}=${JSON.stringify(value) ?? 'default'}`,
  ).join(' ');
}

describe('RFC 8620 5.3: a PatchObject', () => {
  it.each([
    ['nothing', '{}', ''],
    ['a property', '{"title":"x"}', 'title="x"'],
    ['properties in order', '{"rank":2,"title":"x"}', 'rank=2 title="x"'],
    ['null: the default', '{"title":null}', 'title=default'],
    ['a list as a whole', '{"list":[3,2]}', 'list=[3,2]'],
    ['a map as a whole', '{"tags":{}}', 'tags={}'],
    ['an inner member', '{"meta/a/b/c":2}', 'meta={"a":{"b":{"c":2}},"note":null}'],
    [
      'a new inner member',
      '{"meta/new":{"x":1}}',
      'meta={"a":{"b":{"c":1}},"note":null,"new":{"x":1}}',
    ],
    ['null inside: removal', '{"tags/foo":null}', 'tags={"a/b":true,"":true}'],
    ['removal of what is absent', '{"tags/zz":null}', 'tags={"foo":true,"a/b":true,"":true}'],
    [
      'two members of one map',
      '{"tags/foo":null,"tags/bar":true}',
      'tags={"a/b":true,"":true,"bar":true}',
    ],
    [
      'depths that differ',
      '{"meta/note":"n","meta/a/b/c":5}',
      'meta={"a":{"b":{"c":5}},"note":"n"}',
    ],
    ['~1', '{"tags/a~1b":null}', 'tags={"foo":true,"":true}'],
    ['~0', '{"tags/~0":true}', 'tags={"foo":true,"a/b":true,"":true,"~":true}'],
    ['~01', '{"tags/~01":true}', 'tags={"foo":true,"a/b":true,"":true,"~1":true}'],
    ['a trailing slash: the member ""', '{"tags/":null}', 'tags={"foo":true,"a/b":true}'],
    ['digits as member names', '{"digits/0/1":3}', 'digits={"0":{"1":3}}'],
    ['an escaped top-level name', '{"a~1b":1}', 'a/b=1'],
  ])('sets %s', (_, patch, expected) => {
    expect(touched(patch)).toBe(expected);
  });

  it('leaves unknown properties to the caller, the empty name too', () => {
    expect(touched('{"nope":1,"":2}')).toBe('nope=1 =2');
  });

  it.each([
    ['a parent that is absent', '{"meta/x/y":5}'],
    ['a parent that is absent, for a removal', '{"meta/x/y":null}'],
    ['a property that is absent', '{"nope/x":1}'],
    ['a leading slash: the property "" is no parent', '{"/title":"x"}'],
    ['through a string', '{"title/x":1}'],
    ['through a number', '{"rank/x":1}'],
    ['through null', '{"due/x":1}'],
    ['through an inner null', '{"meta/note/x":1}'],
    ['an item of an array', '{"list/0":1}'],
    ['the end of an array', '{"list/-":1}'],
    ['inside an item of an array', '{"list/1/a":1}'],
    ['removal from an array', '{"list/0":null}'],
    ['a tilde that starts no escape', '{"tags/a~2":true}'],
    ['a trailing tilde', '{"tags/a~":true}'],
    ['a wrong escape in a top-level name', '{"titl~e":1}'],
    ['a prefix', '{"meta/a":{},"meta/a/b":1}'],
    ['a prefix that comes later', '{"meta/a/b":1,"meta/a":{}}'],
    ['a property and its member', '{"tags":{},"tags/foo":true}'],
    ['a member and its property set to null', '{"tags/foo":true,"tags":null}'],
    ['a prefix two levels up', '{"meta/a/b/c":1,"meta":{}}'],
    ['a property of Object.prototype', '{"constructor/prototype/x":1}'],
    ['__proto__ of the object', '{"__proto__/x":1}'],
    ['__proto__ of a map', '{"tags/__proto__/x":1}'],
  ])('refuses %s', (_, patch) => {
    expect(touched(patch)).toBe('invalidPatch');
  });

  it('compares prefixes token by token', () => {
    expect(touched('{"tags/foo":null,"tags/foobar":true,"tags/foo~1x":true}')).toBe(
      'tags={"a/b":true,"":true,"foobar":true,"foo/x":true}',
    );
  });

  it('names the pointer that is wrong', () => {
    const result = applyPatch(json(CURRENT), json('{"title":"x","meta/x/y":5}'));
    expect(result).toMatchObject({ description: expect.stringContaining('"meta/x/y"') });
  });

  it('keeps __proto__ a plain member and pollutes nothing', () => {
    const current = '{"tags":{"__proto__":{"a":1}}}';
    expect(touched('{"tags/__proto__":true}')).toContain('"__proto__":true');
    expect(touched('{"tags/__proto__/a":2}', current)).toBe('tags={"__proto__":{"a":2}}');
    expect(touched('{"tags/__proto__":null}', current)).toBe('tags={}');
    expect(touched('{"tags/x":1}', current)).toBe('tags={"__proto__":{"a":1},"x":1}');
    expect(touched('{"__proto__":1}')).toBe('__proto__=1');
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as JsonObject)['a']).toBeUndefined();
  });

  it('copies changed objects and shares the rest', () => {
    const current = json(CURRENT);
    const result = applyPatch(current, { 'meta/note': 'x' });
    if (result.kind !== 'patched') throw new Error('invalid');
    const meta = result.touched.get('meta') as JsonObject;
    expect(meta['a']).toBe((current['meta'] as JsonObject)['a']);
  });

  it('refuses a pointer of a million tokens at once', () => {
    expect(touched(JSON.stringify({ [`meta${'/a'.repeat(1_000_000)}`]: 1 }))).toBe('invalidPatch');
  });
});

describe('RFC 8620 5.3: laws of patches', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '/', '~', '0') });
  const { object } = fc.letrec<{ object: JsonObject; value: JsonValue }>((tie) => ({
    object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    value: fc.oneof(
      { maxDepth: 4 },
      fc.integer(),
      fc.constant('text'),
      fc.array(fc.integer()),
      tie('object'),
    ),
  }));

  it('a whole object is a patch that gives that object', () => {
    fc.assert(
      fc.property(object, object, (current, next) => {
        const patch = Object.fromEntries(
          Object.entries(next).map(([key, value]) => [escapeToken(key), value]),
        );
        const result = applyPatch(current, patch);
        expect(result).toEqual({ kind: 'patched', touched: new Map(Object.entries(next)) });
      }),
    );
  });

  it('setting every leaf to its own value changes nothing', () => {
    const leaves = (value: JsonObject, prefix: string): [string, JsonValue][] =>
      Object.entries(value).flatMap(([key, inner]) => {
        const pointer = prefix + escapeToken(key);
        const isInner = typeof inner === 'object' && !Array.isArray(inner) && inner !== null;
        return isInner && Object.keys(inner).length > 0
          ? leaves(inner as JsonObject, `${pointer}/`)
          : [[pointer, inner] as [string, JsonValue]];
      });
    fc.assert(
      fc.property(object, (current) => {
        const result = applyPatch(current, Object.fromEntries(leaves(current, '')));
        if (result.kind !== 'patched') throw new Error(result.description);
        expect(Object.fromEntries(result.touched)).toEqual(current);
      }),
    );
  });
});

describe('a patch of very many pointers', () => {
  it('is applied with pauses, with the same result', () => {
    const names = Array.from({ length: 50_000 }, (_, n) => `k${n}`);
    const meta = Object.fromEntries(names.map((name) => [name, 0]));
    const patch = Object.fromEntries(names.map((name, n) => [`meta/${name}`, n % 2 ? 1 : null]));
    let pauses = 0;
    const steps = patchSteps({ meta }, patch);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        const { value } = step;
        const touched = value.kind === 'patched' ? value.touched.get('meta') : undefined;
        expect(Object.keys(touched as object)).toHaveLength(25_000);
        break;
      }
      pauses += 1;
    }
    // The pointers are read, the members copied, the values put in: each a few thousand at a time.
    expect(pauses).toBeGreaterThan(30);
  });
});
