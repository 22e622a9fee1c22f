import type { Call } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import type { Draw } from './draw.js';
import { anId, changed, goodValue, newObject, validFilter, validSort } from './valid.js';
import { type FuzzType, knownValues } from './world.js';

/** Values that nobody expects, of every kind of JSON. */
const ODD: readonly Json[] = Object.freeze([
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  Number.MIN_SAFE_INTEGER,
  '',
  ' ',
  '0',
  '-1',
  '01',
  '#',
  '#k0',
  '#c0',
  '/',
  '*',
  '~',
  '~1',
  'a'.repeat(255),
  'a'.repeat(256),
  'a'.repeat(65),
  '\u0000',
  '\u0001\u001f',
  '\ufeff',
  '\u202e',
  '\u{1F600}'.repeat(9),
  'e\u0301',
  'İ',
  'ﬃ',
  "'; DROP TABLE x; --",
  '%_\\%',
  '$1',
  '{}',
  '[]',
  'null',
  '__proto__',
  'constructor',
  'toString',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '0000-01-01T00:00:00Z',
  '99999999999999999999',
  [],
  [[]],
  [null],
  ['a', 'a'],
  {},
  { a: 1 },
  JSON.parse('{"constructor":1,"toString":null,"valueOf":[]}') as Json,
]);

const NAMES: readonly string[] = Object.freeze([
  '',
  ' ',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'then',
  'id',
  'accountId',
  'account_id',
  'ids',
  '#ids',
  '#accountId',
  '#',
  '##ids',
  'a/b',
  '~',
  '~0',
  '~2',
  '*',
  '0',
  '-1',
  'é',
  'e\u0301',
  'x'.repeat(300),
  '\u0000',
  'ifInState',
  'if_in_state',
  'onSuccessDestroyOriginal',
]);

export function oddValue(draw: Draw): Json {
  return draw.weighted<Json>([
    [20, () => draw.pick(ODD)],
    [3, () => protoObject()],
    [2, () => nested(draw.pick([2, 10, 60, 130]))],
    [2, () => 'x'.repeat(draw.pick([512, 513, 1000, 5000, 20_000]))],
    [2, () => Array.from({ length: draw.pick([33, 100, 1000, 1001]) }, (_, n) => `i${n}`)],
    [1, () => Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}`, n]))],
    [3, () => oddReference(draw, ['c0'])],
  ]);
}

export const oddName = (draw: Draw): string => draw.pick(NAMES);

/** A member of this very name, which an assignment would not make. */
function protoObject(): Json {
  return JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}}}') as Json;
}

function nested(depth: number): Json {
  let value: Json = 0;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const SEGMENTS: readonly string[] = Object.freeze([
  '',
  '*',
  '-',
  '0',
  '1',
  '00',
  '-1',
  '1e0',
  '4294967296',
  'ids',
  'list',
  'id',
  'created',
  'updated',
  'k0',
  'added',
  'accountId',
  'filter',
  'a~0b',
  'a~1b',
  '~',
  '~2',
  '__proto__',
  'constructor',
  'length',
  'é',
  'x'.repeat(300),
]);

/** JSON pointers as result references take them, `*` included (RFC 8620 3.7). */
export function oddPointer(draw: Draw): string {
  const segments = draw.some(SEGMENTS, 6);
  if (draw.chance(0.02)) return '/*'.repeat(500);
  return draw.chance(0.9) ? segments.map((one) => `/${one}`).join('') : segments.join('/');
}

const POINTERS = ['/ids', '/list/*/id', '/created', '/updated', '/added/*/id', '/notFound', '/a'];

export function oddReference(draw: Draw, callIds: readonly string[]): JsonMap {
  const { types } = draw.world;
  const type = draw.pick(types);
  const reference: JsonMap = {
    resultOf: draw.chance(0.85) ? draw.pick(callIds) : 'c99',
    name: draw.chance(0.8) ? `${type.name}/${draw.pick(type.methods)}` : 'Core/echo',
    path: draw.chance(0.5) ? draw.pick(POINTERS) : oddPointer(draw),
  };
  if (draw.chance(0.1)) reference[draw.pick(['resultOf', 'name', 'path'])] = draw.pick(ODD);
  if (draw.chance(0.05)) delete reference[draw.pick(['resultOf', 'name', 'path'])];
  if (draw.chance(0.05)) reference[oddName(draw)] = draw.pick(ODD);
  return reference;
}

/** A PatchObject with paths of all sorts, good ones among them (RFC 8620 5.3). */
export function oddPatch(draw: Draw, type: FuzzType): JsonMap {
  const patch: JsonMap = changed(draw, type, 0.2);
  for (let n = draw.integer(1, 4); n > 0; n -= 1) {
    const property = draw.pick(type.type.properties);
    const path = draw.weighted<string>([
      [5, () => [property.name, ...draw.some(SEGMENTS, 3)].join('/')],
      [1, () => `/${property.name}`],
      [1, () => `${property.name}/`],
      [1, () => oddPointer(draw)],
      [1, () => oddName(draw)],
    ]);
    patch[path] = draw.chance(0.3)
      ? null
      : draw.chance(0.5)
        ? goodValue(draw, type, property)
        : badValue(draw, property);
  }
  return patch;
}

function badValue(draw: Draw, property: FuzzType['writable'][number]): Json {
  const { bad } = knownValues(property);
  return bad.length === 0 || draw.chance(0.3) ? oddValue(draw) : draw.pick(bad);
}

export function oddObject(draw: Draw, type: FuzzType): JsonMap {
  const object = newObject(draw, type);
  for (let n = draw.integer(1, 2); n > 0; n -= 1) {
    const property = draw.pick(type.type.properties);
    if (draw.chance(0.15)) object[oddName(draw)] = oddValue(draw);
    else object[property.name] = badValue(draw, property);
  }
  return object;
}

const OPERATORS: readonly Json[] = ['AND', 'OR', 'NOT', 'and', 'XOR', '', null, 5];

export function oddFilter(draw: Draw, type: FuzzType, depth: number): Json {
  if (draw.chance(0.05)) return oddValue(draw);
  if (depth > 0 && draw.chance(0.6)) {
    const conditions: Json = draw.chance(0.9)
      ? Array.from({ length: draw.integer(0, 4) }, () => oddFilter(draw, type, depth - 1))
      : draw.pick(ODD);
    return {
      operator: draw.chance(0.8) ? draw.pick(['AND', 'OR', 'NOT']) : draw.pick(OPERATORS),
      conditions,
    };
  }
  const condition = validFilter(draw, type, 0);
  for (const filter of draw.some(type.type.filters, 2)) {
    const { bad, large } = knownValues(filter);
    condition[filter.name] = draw.pick([...bad, ...large, draw.pick(ODD)]);
  }
  if (draw.chance(0.1)) condition[oddName(draw)] = draw.pick(ODD);
  return condition;
}

/** As wide or as deep as only a machine writes it. */
export function hugeFilter(draw: Draw, type: FuzzType): Json {
  const leaf = validFilter(draw, type, 0);
  const count = draw.pick([20, 100, 500, 1500]);
  if (draw.chance(0.5)) return { operator: 'OR', conditions: Array<Json>(count).fill(leaf) };
  let filter: Json = leaf;
  for (let n = 0; n < count / 10; n += 1) filter = { operator: 'NOT', conditions: [filter] };
  return filter;
}

export function oddSort(draw: Draw, type: FuzzType): Json {
  if (draw.chance(0.1)) return oddValue(draw);
  const sort = validSort(draw, type) as JsonMap[];
  const comparator: JsonMap = { property: draw.pick(type.type.properties).name };
  if (draw.chance(0.3)) comparator['collation'] = draw.pick(['i;octet', 'i;none', '', 5, null]);
  if (draw.chance(0.3)) comparator['isAscending'] = draw.pick(ODD);
  if (draw.chance(0.2)) comparator[oddName(draw)] = draw.pick(ODD);
  const many = draw.chance(0.03) ? 200 : 1;
  return [...sort, ...Array<Json>(many).fill(comparator)];
}

/** A call that is near a valid one, by what its method is about. */
export function oddCall(draw: Draw, callId: string): Call {
  draw.odd(null);
  const type = draw.pick(draw.world.types);
  const accountId = draw.weighted<Json>([
    [30, () => draw.accounts.own[0]],
    [4, () => draw.accounts.readOnly],
    [3, () => draw.accounts.foreign],
    [1, () => draw.pick(ODD)],
  ]);
  const one = (): string =>
    draw.chance(0.7) ? anId(draw, type) : JSON.stringify(draw.pick(ODD)).slice(0, 300);
  return draw.weighted<Call>([
    [
      6,
      () => [
        `${type.name}/set`,
        {
          accountId,
          create: { k0: oddObject(draw, type), [oddName(draw)]: newObject(draw, type) },
          update: { [one()]: oddPatch(draw, type), '#k0': oddPatch(draw, type) },
          destroy: [one(), '#k0'],
        },
        callId,
      ],
    ],
    [
      6,
      () => [`${type.name}/set`, { accountId, update: { [one()]: oddPatch(draw, type) } }, callId],
    ],
    [4, () => [`${type.name}/set`, { accountId, create: { k0: oddObject(draw, type) } }, callId]],
    [
      6,
      () => [
        `${type.name}/query`,
        {
          accountId,
          filter: draw.chance(0.9) ? oddFilter(draw, type, 4) : hugeFilter(draw, type),
          sort: draw.chance(0.5) ? validSort(draw, type) : oddSort(draw, type),
          position: draw.pick([0, -1, 5, -(2 ** 53) + 1, 2 ** 53 - 1]),
          limit: draw.pick<Json>([0, 1, 5000, 5001, null, 2 ** 53 - 1]),
        },
        callId,
      ],
    ],
    [
      3,
      () => [
        `${type.name}/queryChanges`,
        {
          accountId,
          filter: oddFilter(draw, type, 3),
          sort: oddSort(draw, type),
          sinceQueryState: draw.pick([...draw.pool.of(`${type.name}/queryState`), '0', '1.', 'x']),
          upToId: one(),
        },
        callId,
      ],
    ],
    [
      3,
      () => [
        `${type.name}/get`,
        { accountId, ids: [one(), one(), draw.pick(ODD)], properties: draw.some(NAMES, 3) },
        callId,
      ],
    ],
    [
      2,
      () => [
        `${type.name}/changes`,
        {
          accountId,
          sinceState: draw.pick(['', '-1', '00', '1.0', '9007199254740993', '1e3', ' 1']),
          maxChanges: draw.pick<Json>([0, 1, 2 ** 53 - 1, null]),
        },
        callId,
      ],
    ],
    [3, () => ['Core/echo', { a: oddValue(draw), [oddName(draw)]: oddValue(draw) }, callId]],
    [
      1,
      () => [draw.pick([...NAMES, 'Core/none', 'error', `${type.name}/`]), { accountId }, callId],
    ],
  ]);
}

/** The names whose arguments are taken from an earlier answer. */
export function withReference(draw: Draw, call: Call, callIds: readonly string[]): Call {
  const [name, args, callId] = call;
  const entries = Object.entries(args as JsonMap);
  const chosen = entries.length === 0 ? 'ids' : draw.pick(entries)[0];
  const rest = entries.filter(([key]) => key !== chosen || draw.chance(0.1));
  const referring = [...rest, [`#${chosen}`, oddReference(draw, callIds)] as const];
  return [name, Object.fromEntries(referring), draw.odd(callId)];
}
