import { expect, it } from 'vitest';
import { OPERATOR_NAMES } from '../../src/descriptor/operators.js';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { DESCRIPTORS } from '../../test/support/shared-project.js';
import { CHECKS } from '../src/checks/index.js';
import { asMap, type Json, type JsonMap, parseJson } from '../src/client/json.js';
import type { Outcome } from '../src/outcome.js';
import { run } from '../src/run.js';
import { readWorld } from '../src/subject/described.js';
import { Server } from '../src/subject/server.js';
import { OtherServer, THINGS } from './other-server.js';

// Checks that depend on a word of the descriptor that Thing lacks.

/** Runs one check on a server with a descriptor of its own. */
async function runCheck(
  id: string,
  text: string,
  other: OtherServer,
  samples?: Server['samples'],
): Promise<Outcome | undefined> {
  const server = await Server.connect({ url: other.url, authorization: 'Bearer t' });
  if (samples !== undefined) server.samples = samples;
  const world = readWorld([{ ...THINGS, text }]);
  const checks = CHECKS.filter((check) => check.id === id);
  const plan = { server, world, checks, selection: {}, warn: () => undefined };
  const idle = { planned: () => undefined, started: () => undefined, ended: () => undefined };
  const [outcome] = await run(plan, idle);
  return outcome;
}

it.each([
  ['absent', undefined, 'passed'],
  ['null', null, 'failed'],
])('an optional property that nobody set is absent: %s', async (_, unset, status) => {
  const text = THINGS.text.replace('default: 0', 'optional: true');
  const show = (object: Json): JsonMap => {
    const { size, ...others } = asMap(object);
    const shown = size === 0 ? unset : size;
    return shown === undefined ? others : { ...others, size: shown };
  };
  const other = await OtherServer.start({
    changeArgs: (name, args) => {
      if (name === 'Thing/get') return { ...args, list: (args['list'] as Json[]).map(show) };
      const created = Object.entries(asMap(args['created'] ?? null));
      return {
        ...args,
        created: Object.fromEntries(created.map(([key, one]) => [key, show(one)])),
      };
    },
  });
  expect(await runCheck('get-all-properties', text, other)).toMatchObject({ status });
});

it.each([
  ['restrict', 'failed'],
  ['cascade', 'failed'],
  ['setNull', 'failed'],
  ['keep', 'passed'],
])('a server that looks at no reference where it destroys: %s', async (effect, status) => {
  const id = `described-links-${effect.replace('N', '-n')}`;
  const told = THINGS.text.replace('references: Thing', `references: Thing, onDestroy: ${effect}`);
  expect(await runCheck(id, told, await OtherServer.start())).toMatchObject({ status });
  expect(await runCheck(id, THINGS.text, await OtherServer.start())).toMatchObject({
    status: 'notApplicable',
    reason: `The descriptor has no reference with onDestroy: ${effect}.`,
  });
});

it.each([
  [{ size: null }, 'failed'],
  [{}, 'passed'],
])('an optional property that null removes: %j', async (left, status) => {
  const text = THINGS.text.replace('default: 0', 'optional: true');
  const show = (one: Json): JsonMap => {
    const { size = null, ...others } = asMap(one);
    return size === 0 || size === null ? { ...others, ...left } : { ...others, size };
  };
  const other = await OtherServer.start({
    changeArgs: (name, args) =>
      name === 'Thing/get' ? { ...args, list: (args['list'] as Json[]).map(show) } : args,
  });
  expect(await runCheck('described-optional-removed', text, other)).toMatchObject({ status });
});

it('the values of --samples are lists as they stand there', async () => {
  const text = THINGS.text.replace(
    'type: integer, minimum: 0, maximum: 9, default: 0',
    'type: array, items: { type: integer }, default: []',
  );
  const show = (one: Json): Json => parseJson(JSON.stringify(one).replace('"size":0', '"size":[]'));
  const sizes = new Set<string>();
  const other = await OtherServer.start({
    rule: ({ size = null }) => void sizes.add(JSON.stringify(size)),
    changeArgs: (_name, args) => show(args) as JsonMap,
  });
  const samples = new Map([['Thing', [{ size: [7] }]]]);
  expect(await runCheck('set-update-null-default', text, other, samples)).toMatchObject({
    status: 'passed',
  });
  expect([...sizes]).toEqual(['[7]', '0']);
});

it('a count of objects that no client can make is not applicable', async () => {
  const text = THINGS.text.replace(
    '    required: [name]',
    `      state: { type: string, enum: [new, old], default: new }
      olds:
        type: integer
        default: 0
        access: serverSet
        computed: { count: Thing, by: parentId, where: { state: old } }
    transitions: { state: { initial: [new], from: { new: [old] } } }
    required: [name]`,
  );
  expect(await runCheck('described-aggregates', text, await OtherServer.start())).toMatchObject({
    status: 'notApplicable',
    reason: expect.stringContaining('No client can make'),
  });
});

it.each([
  ['immutable', 1],
  ['serverSet', 0],
])(
  'a key of what clients give is unique for checks, one of the server is not: %s',
  (access, count) => {
    const text = THINGS.text
      .replace(
        '      parentId:',
        `      code: { type: [integer, 'null'], access: ${access} }\n      parentId:`,
      )
      .replace('    required:', '    unique: [[code]]\n    required:');
    expect(readWorld([{ ...THINGS, text }]).get('Thing')?.type.uniques).toHaveLength(count);
  },
);

it('the servers of the tests have a type with a condition of each operator', () => {
  const types = [...describedWorld(...DESCRIPTORS).values()].flatMap(({ type }) => {
    const methods = type.methods.map(({ name }) => name);
    return methods.includes('set') && methods.includes('query') ? [type] : [];
  });
  const known = types.flatMap(({ filters }) => filters.map(({ operator }) => operator));
  expect(OPERATOR_NAMES.filter((name) => !known.includes(name))).toEqual([]);
});
