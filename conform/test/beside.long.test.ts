import { beforeAll, describe, expect, it } from 'vitest';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { type Fixtures, makeFixtures } from '../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../test/support/server.js';
import { sharedProject } from '../../test/support/shared-project.js';
import type { JsonMap } from '../src/client/json.js';
import type { World } from '../src/subject/described.js';
import { besideObjects, failedOf } from './beside-objects.js';

// All checks of a type beside objects that are there already, of which none may be touched.

const todos = describedWorld('../../capabilities/todos.yaml');
const gadgets = describedWorld('../conformance/gadget.yaml');

let server: RunningServer | undefined;
let fixtures: Fixtures | undefined;

beforeAll(async () => {
  server = await startServer({ project: await sharedProject() });
  fixtures = await makeFixtures(server);
  return async () => await server?.remove();
}, 300_000);

/**
 * Objects whose values are those that checks give, come before and behind them, and fill what may
 * have few.
 */
const OBJECTS: readonly (readonly [type: string, world: World, create: Record<string, JsonMap>])[] =
  [
    [
      'Todo',
      todos,
      {
        a: { text: 'a', done: true },
        b: { text: '' },
        c: { text: 'in the middle' },
        d: { text: 'zzz' },
        e: { text: 'e' },
        f: { text: 'e' },
      },
    ],
    [
      'Gadget',
      gadgets,
      {
        a: { title: 'in a', code: 'u0', rank: -10, parentId: '#b' },
        b: { title: 'b', code: 'u1', tags: { a: true }, due: '2026-01-01T00:00:00Z' },
        c: { title: 'word', code: 'a', score: 5, kind: 'large', links: { '#a': true } },
        d: { title: 'zzz', code: 'B', meta: { note: null }, list: ['a', 'b'] },
      },
    ],
    ['Crate', gadgets, { a: { row: 0, shelf: 'u0', label: 'a' } }],
  ];

describe.each(['http', 'websocket'] as const)('over %s', (transport) => {
  it.each(OBJECTS)(
    '%s: no check fails, and none touches what was there',
    async (type, world, create) => {
      if (server === undefined || fixtures === undefined) throw new Error('Nothing was started.');
      const { u1: user, u2, u3, A1, A2 } = fixtures;
      const { outcomes, warnings } = await besideObjects({
        ...{ url: server.url, user, others: [u2, u3], world, type, transport },
        ...{ accounts: [A1, A2], create },
      });
      expect([failedOf(outcomes), warnings]).toEqual([[], []]);
      // Nothing is left out for what is there, but where an account has room for few.
      const reasons = outcomes.map(({ reason = '' }) => reason);
      const isFull = type === 'Crate';
      expect(reasons.some((one) => /room for|did not make/.test(one))).toBe(isFull);
    },
  );
});
