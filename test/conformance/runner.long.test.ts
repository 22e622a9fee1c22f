import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import { ROOT, startServer } from '../support/server.js';
import { DESCRIPTORS, sharedProject } from '../support/shared-project.js';
import { describedWorld } from './descriptor.js';

// `npm run conform` as anybody runs it, against servers of the types of this repository, of gadget.yaml, of the hooks'
// tests and of examples/: what it counts stands in docs/conformance.md. CONFORM_COUNTS=write writes it there.

const PAGE = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const BEGIN = '<!-- counts: begin -->';
const END = '<!-- counts: end -->';

/** What hooks of other types write to comes first, while nobody has written there: later it is too much to run beside. */
const JOURNALS: readonly string[] = ['Post', 'Entry'];
const OWN = ['notes', 'todos'].map((name) => join(ROOT, 'capabilities', `${name}.yaml`));
/**
 * Left out: its unique values are internal and computed by a hook, so nobody can tell from the
 * descriptor which objects it takes.
 */
const UNTOLD = 'Shelf';
const TYPES = [...describedWorld(...OWN, ...DESCRIPTORS).keys()].filter((one) => one !== UNTOLD);

interface Report {
  readonly counts: { readonly passed: number; readonly failed: number };
  /** Why the run is not whole. */
  readonly ended?: string;
  readonly outcomes: readonly {
    readonly id: string;
    readonly type: string | null;
    readonly status: 'passed' | 'failed' | 'notApplicable';
    readonly failure?: { readonly message: string };
  }[];
}

const postgresql = usePostgresql();
const reports = new Map<string, Report>();

function conform(url: string, { u1, u2, u3 }: Fixtures, transport: string): Promise<Report> {
  const others = [u2, u3].flatMap(({ token }) => ['--other-token', token]);
  const types = [...JOURNALS, ...TYPES.filter((one) => !JOURNALS.includes(one))];
  const args = [
    ...['--url', url, '--token', u1.token, ...others, '--transport', transport],
    ...types.flatMap((type) => ['--type', type]),
  ];
  const command = [
    '--import',
    'tsx/esm',
    'conform/src/main.ts',
    ...args,
    '--report',
    'json',
    '--seed',
    '1',
  ];
  return new Promise((resolve, reject) => {
    const options = { cwd: ROOT, maxBuffer: 2 ** 28 };
    execFile(process.execPath, command, options, (_error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr));
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}

describe.each(['SQLite', 'PostgreSQL'])('%s', (database) => {
  // A server of its own for each: what hooks write stays.
  it.each(['HTTP', 'WebSocket'])(
    'every check passes over %s, some of each type',
    async (word) => {
      const transport = word.toLowerCase();
      const name = `runner_${transport}`;
      const env =
        database === 'SQLite' ? {} : { DATABASE_URL: await postgresql().createDatabase(name) };
      const server = await startServer({ project: await sharedProject(), env });
      try {
        const report = await conform(server.url, await makeFixtures(server), transport);
        reports.set(`${database}, ${word}`, report);
        const failed = report.outcomes.filter(({ status }) => status === 'failed');
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

it('docs/conformance.md has these counts', async () => {
  expect(reports.size).toBe(4);
  const page = await readFile(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(BEGIN);
  const after = rest.slice(rest.indexOf(END));
  const now = `${before}${BEGIN}\n\n${tables()}\n\n${after}`;
  if (process.env['CONFORM_COUNTS'] === 'write') await writeFile(PAGE, now);
  else expect(page).toBe(now);
});

function tables(): string {
  const names = [...reports.keys()];
  const rows = [null, ...TYPES].map((type) => {
    const cells = names.map((name) => {
      const of = (reports.get(name)?.outcomes ?? []).filter((one) => one.type === type);
      const count = (status: string) => of.filter((one) => one.status === status).length;
      return `${count('passed')}, ${count('failed')}, ${count('notApplicable')}`;
    });
    return `| ${[type ?? '(the server)', ...cells].join(' | ')} |`;
  });
  const totals = names.map((name) => {
    const of = reports.get(name)?.outcomes ?? [];
    const count = (status: string) => of.filter((one) => one.status === status).length;
    return `**${count('passed')}, ${count('failed')}, ${count('notApplicable')}**`;
  });
  return [
    `| passed, failed, not applicable | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...rows,
    `| ${['all', ...totals].join(' | ')} |`,
  ].join('\n');
}
