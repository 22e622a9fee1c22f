import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/index.js';
import type { Principal } from '../../src/accounts/principal.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { readConfig } from '../../src/server/config.js';
import { InProcessServer } from '../../src/server/in-process.js';
import { type Opened, openEngine } from '../../src/server/open-engine.js';
import { ROOT } from '../support/server.js';

const TODOS = 'urn:example:todos';

let server: InProcessServer;
let principal: Principal;
let accountId: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'in-process-'));
  const opened: Opened = [() => rm(folder, { recursive: true, force: true })];
  const config = readConfig({ EXPLAIN: 'off', DATA_DIR: folder }, ROOT);
  const engine = await openEngine(config, { root: ROOT, log: pino({ level: 'silent' }), opened });
  server = new InProcessServer(engine, opened);
  const { prisma } = engine.storage;
  accountId = await createAccount(prisma, createIdGenerator(), { name: 'A', user: 'ann' });
  principal = await server.principalOf('ann');
});
afterAll(() => server.close());

describe('a server in process', () => {
  const narrowed = (): Principal => ({ ...principal, capabilities: new Map([[TODOS, 'read']]) });

  it('answers a narrowed principal by what it reaches, without `using` too', async () => {
    const answers = await server.request(narrowed(), [
      ['Core/echo', {}, 'a'],
      ['Todo/get', { accountId }, 'b'],
      ['Todo/set', { accountId }, 'c'],
      ['Note/get', { accountId }, 'd'],
    ]);
    expect(answers.map(([name, { type }]) => type ?? name)).toEqual([
      'Core/echo',
      'Todo/get',
      'accountReadOnly',
      'unknownMethod',
    ]);
  });

  it('refuses a capability out of reach in `using`, as one that there isn’t', async () => {
    const using = ['urn:service:notes'];
    await expect(server.request(narrowed(), [], { using })).rejects.toMatchObject({
      type: 'unknownCapability',
      message: 'The server has no capability "urn:service:notes".',
    });
    expect(await server.request(principal, [], { using })).toEqual([]);
  });
});
