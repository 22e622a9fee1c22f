import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../conform/src/checks/index.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import { ROOT, startServer } from '../support/server.js';
import { DESCRIPTORS, sharedProject } from '../support/shared-project.js';
import { isOfPush, isOfSharing } from './checks.js';
import { describedWorld } from './descriptor.js';
import { type Report, runConform } from './run.js';

// `npm run conform` as anybody runs it, against servers of the types of this repository, of
// gadget.yaml, of the hooks' tests and of examples/.

/**
 * The types that hooks of other types write to come first, while nobody has written there: later it
 * is too much to run beside.
 */
const JOURNALS: readonly string[] = ['Post', 'Entry'];
const OWN = ['notes', 'todos'].map((name) => join(ROOT, 'capabilities', `${name}.yaml`));
/**
 * Left out: its unique values are internal and computed by a hook, so nobody can tell from the
 * descriptor which objects it takes.
 */
const UNTOLD = 'Shelf';
const TYPES = [...describedWorld(...OWN, ...DESCRIPTORS).keys()].filter((one) => one !== UNTOLD);

/** The check that finds it where a server takes only small uploads. */
const SUGGESTED = 'session-suggested-limits';

const postgresql = usePostgresql();
const reports = new Map<string, Report>();

function conform(url: string, { u1, u2, u3 }: Fixtures, transport: string): Promise<Report> {
  const others = [u2, u3].flatMap(({ token }) => ['--other-token', token]);
  const types = [...JOURNALS, ...TYPES.filter((one) => !JOURNALS.includes(one))];
  return runConform([
    ...['--url', url, '--token', u1.token, ...others, '--transport', transport],
    ...types.flatMap((type) => ['--type', type]),
  ]);
}

describe.each(['SQLite', 'PostgreSQL'])('%s', (database) => {
  // A server of its own for each: what hooks write stays.
  it.each(['HTTP', 'WebSocket'])(
    'every check passes over %s, some of each type',
    async (word) => {
      const transport = word.toLowerCase();
      const name = `runner_${transport}`;
      // The runner sends at most two million octets at a time, and RFC 8620 2 suggests 50 million.
      const isSmall = database === 'PostgreSQL' && word === 'HTTP';
      const env = {
        ...(database === 'SQLite' ? {} : { DATABASE_URL: await postgresql().createDatabase(name) }),
        ...(isSmall ? { MAX_SIZE_UPLOAD: '1000000' } : {}),
      };
      const server = await startServer({ project: await sharedProject(), env });
      try {
        const report = await conform(server.url, await makeFixtures(server), transport);
        reports.set(`${database}, ${word}`, report);
        const all = report.outcomes.filter(({ status }) => status === 'failed');
        const failed = all.filter(({ id }) => !(isSmall && id === SUGGESTED));
        expect(all.length - failed.length).toBe(isSmall ? 1 : 0);
        expect(failed.map(({ id, type, failure }) => [id, type, failure?.message])).toEqual([]);
        const passed = report.outcomes.filter(({ status }) => status === 'passed');
        expect(new Set(passed.map(({ type }) => type))).toEqual(new Set([null, ...TYPES]));
        expect(report.ended).toBeUndefined();
      } finally {
        await server.remove();
      }
    },
    900_000,
  );
});

it('every check passes for some type over some transport', () => {
  expect(reports.size).toBe(4);
  const passed = new Set(
    [...reports.values()].flatMap(({ outcomes }) =>
      outcomes.filter(({ status }) => status === 'passed').map(({ id }) => id),
    ),
  );
  const here = CHECKS.filter((one) => !isOfPush(one) && !isOfSharing(one));
  expect(here.flatMap(({ id }) => (passed.has(id) ? [] : [id]))).toEqual([]);
});
