import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createAccount, createToken } from '../src/accounts/index.js';
import { openPrismaStandalone } from '../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../src/protocol/ids.js';
import { FrameSocket, messageFrame } from './load/frames.js';
import type { Server } from './model.js';
import { startJmapsmith } from './start/jmapsmith.js';
import { ROOT, run as runTool } from './start/processes.js';

/**
 * Measures the server's memory for an idle WebSocket, by what was sent over it before, and with and
 * without permessage-deflate. Each kind has a server process of its own. The benchmark first opens
 * as many connections as it measures later, so that the figures leave out what a server takes only
 * once.
 */

const HELP = `usage: npm run bench -- sockets [--sockets N] [--rounds N]

Measures the memory of idle WebSockets, with and without compression.

  --sockets N  how many are measured, after as many more (1000)
  --rounds N   servers of each kind (3)
`;

/** Sockets that the server lets a user have. */
const OF_A_USER = 32;
/** Sockets at work at once: few, because the memory for work is not measured. */
const AT_ONCE = 4;

interface Kind {
  readonly name: string;
  readonly isCompressed: boolean;
  /**
   * Characters of the text that each sends and gets back before it is idle; null: it sends nothing.
   */
  readonly characters: number | null;
}

const KINDS: readonly Kind[] = ([null, 2000, 1_000_000] as const).flatMap((characters) =>
  [false, true].map((isCompressed) => {
    const after =
      characters === null
        ? 'after its handshake'
        : `after ${characters.toLocaleString('en')} octets each way`;
    return { name: `${isCompressed ? 'compressed' : 'plain'}, ${after}`, isCompressed, characters };
  }),
);

interface Figures {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      sockets: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '3' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  await runTool([join(ROOT, 'scripts/build.mjs')]);
  const taken = new Map(KINDS.map((kind) => [kind, [] as Figures[]]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [kind, rounds] of taken) rounds.push(await measure(kind, Number(values.sockets)));
  }
  process.stdout.write(
    '| an idle WebSocket | heap, kB | external, kB | resident, kB |\n|---|---|---|---|\n',
  );
  for (const [{ name }, rounds] of taken) {
    const cells = (['heapUsed', 'external', 'rss'] as const).map((part) =>
      spread(rounds.map((figures) => figures[part])),
    );
    process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`);
  }
}

/** Octets for each socket. */
async function measure({ isCompressed, characters }: Kind, count: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-sockets-'));
  const file = join(folder, 'memory.json');
  process.env['MEMORY_FILE'] = file;
  process.env['WEBSOCKET_COMPRESSION'] = 'on';
  const nodeOptions = ['--import', new URL('./load/memory.mjs', import.meta.url).href];
  const server = await startJmapsmith({ name: 'jmapsmith', folder, root: ROOT, nodeOptions });
  const open: FrameSocket[] = [];
  try {
    const tokens = await makeTokens(folder, Math.ceil((2 * count) / OF_A_USER));
    const port = Number(new URL(server.url).port);
    const frame = characters === null ? null : messageFrame(echo(characters), isCompressed);
    const openOne = async (): Promise<void> => {
      const token = tokens[Math.floor(open.length / OF_A_USER)] ?? '';
      const socket = FrameSocket.open({ port, token, isCompressed });
      open.push(await socket);
      if (frame !== null) await (await socket).send(frame);
    };
    const openMany = async (): Promise<void> => {
      for (let n = 0; n < count; n += AT_ONCE)
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, openOne));
    };
    await openMany();
    const before = await figures(server, file);
    await openMany();
    const after = await figures(server, file);
    const each = (part: keyof Figures): number => (after[part] - before[part]) / count;
    return { rss: each('rss'), heapUsed: each('heapUsed'), external: each('external') };
  } finally {
    for (const socket of open) socket.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A token for each of so many users. */
async function makeTokens(folder: string, count: number): Promise<readonly string[]> {
  const prisma = openPrismaStandalone(join(folder, 'data', 'jmap.db'));
  const ids = createIdGenerator();
  const tokens: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const user = `sockets-${n}`;
    await createAccount(prisma, ids, { name: user, user });
    tokens.push(await createToken(prisma, ids, { user }));
  }
  await prisma.$disconnect();
  return tokens;
}

/** A request whose answer is as long: of words, so that they compress as a text does. */
function echo(characters: number): string {
  const words = Array.from({ length: Math.ceil(characters / 8) }, (_, n) => (n * n) % 99_991);
  const text = words
    .map((word) => String(word).padStart(7))
    .join(' ')
    .slice(0, characters);
  const methodCalls = [['Core/echo', { text }, 'c']];
  const using = ['urn:ietf:params:jmap:core'];
  return JSON.stringify({ '@type': 'Request', id: 'r', using, methodCalls });
}

async function figures(server: Server, file: string): Promise<Figures> {
  await pause(500);
  await rm(file, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  while (!existsSync(file)) await pause(20);
  await pause(50);
  return JSON.parse(await readFile(file, 'utf8')) as Figures;
}

function spread(octets: readonly number[]): string {
  const sorted = octets.map((one) => one / 1024).sort((a, b) => a - b);
  const told = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)];
  return told.map((kilobytes) => (kilobytes ?? 0).toFixed(1)).join(' / ');
}

await main(process.argv.slice(2));
