import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill } from '../fill.js';
import { type StartedJmapsmith, startJmapsmith } from '../start/jmapsmith.js';
import { ROOT } from '../start/processes.js';
import type { CatchUp, SyncFigures } from './figures.js';
import { runProgram } from './programs.js';
import { median, ms, type Row, type Sizes } from './rows.js';

/** Milliseconds for the first synchronisation of so many objects. */
const MOST: Readonly<Record<number, number>> = { 10000: 1000, 100000: 8000 };
const TYPES = 20;
const MOST_OCTETS = 2048;

/** The client with a real server on loopback. */
export async function measureServer({ rounds, served, changes }: Sizes): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-client-'));
  const server = await startJmapsmith({
    ...{ name: 'jmapsmith', folder, root: ROOT, nodeOptions: [] },
  });
  const rows: Row[] = [];
  const waits: number[] = [];
  try {
    for (const size of served) {
      const figures: SyncFigures[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        process.stderr.write(`round ${round} of ${rounds}: a server with ${size} objects\n`);
        const token = await makeUser(server, `user-${size}-${round}`, size);
        const args = [server.url, token, size, changes];
        figures.push((await runProgram('synced', args)) as SyncFigures);
      }
      rows.push(...rowsOf(figures, size));
      waits.push(median(figures.map(({ elsewhere }) => elsewhere)));
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const [wait = Number.NaN] = waits;
  const elsewhere = { what: 'a change elsewhere to the screen, loopback, p50', target: '40 ms' };
  return [...rows, { ...elsewhere, measured: ms(wait), isMet: wait <= 40 }];
}

function rowsOf(figures: readonly SyncFigures[], size: number): readonly Row[] {
  const count = size.toLocaleString('en');
  const first = median(figures.map((each) => each.first));
  const most = MOST[size] ?? null;
  const requests = Math.max(...figures.map((each) => each.requests));
  const mostRequests = Math.ceil(size / 1000) + 3;
  const longest = median(figures.map((each) => each.longest));
  const what = `first synchronisation of ${count} objects, loopback`;
  return [
    {
      ...{ what, target: most === null ? '' : ms(most), measured: ms(first) },
      isMet: most === null ? null : first <= most,
    },
    {
      ...{ what: 'its requests', target: String(mostRequests), measured: String(requests) },
      isMet: requests <= mostRequests,
    },
    { what: 'its longest task', target: ms(50), measured: ms(longest), isMet: longest <= 50 },
  ];
}

/** Makes a user with so many objects; resolves to a token. */
async function makeUser(server: StartedJmapsmith, user: string, size: number): Promise<string> {
  const id = await server.tool('account', 'create', '--name', user, '--user', user);
  const token = await server.tool('token', 'create', '--user', user);
  const accountIds = { small: id, big: id, scratch: id, huge: id };
  const sizes = { small: size, big: 0, scratch: 0, huge: 0 };
  await fill({ ...server, token, accountIds }, sizes);
  return token;
}

/** A start at which the copy is current. */
export async function measureCatchUp(): Promise<readonly Row[]> {
  const { requests, sent, received } = (await runProgram('catch-up', [TYPES])) as CatchUp;
  const octets = (value: number): string => `${value.toLocaleString('en')} octets`;
  return [
    {
      ...{ what: `a start of ${TYPES} types, with nothing new: requests`, target: '1' },
      ...{ measured: String(requests), isMet: requests <= 1 },
    },
    {
      ...{ what: 'the same: octets sent and received', target: `${octets(MOST_OCTETS)} each` },
      measured: `${octets(sent)}, ${octets(received)}`,
      isMet: Math.max(sent, received) <= MOST_OCTETS,
    },
  ];
}
