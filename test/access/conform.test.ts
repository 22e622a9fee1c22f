import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runConform } from '../conformance/run.js';
import { startPeople, useProject } from './rules-rig.js';

const root = useProject('lists.yaml');

it('the conformance runner waits for no change that access rules hide from its user', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-share-conform-'));
  const members = { ada: {}, cat: { given: 'read' } } as const;
  const people = await startPeople(root(), { url: null, dataDir }, members);
  onTestFinished(async () => {
    await people.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const { ada, cat } = people.users;
  const { outcomes } = await runConform([
    ...['--url', cat.client.url, '--token', cat.client.token, '--other-token', ada.client.token],
    ...['--type', 'TodoList', '--check', 'events-accounts', '--timeout', '5'],
  ]);
  expect(outcomes.map(({ status, failure }) => [status, failure?.message])).toEqual([
    ['passed', undefined],
  ]);
});
