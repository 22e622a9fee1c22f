import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { changeTerms } from '../../src/methods/quota/keep-quotas.js';
import { conductor } from '../support/conductor.js';
import {
  BOARDS_YAML,
  type Json,
  makeProject,
  type QuotaProject,
  type QuotaRig,
  serveQuotas,
} from './quota-rig.js';

/** Without `quotas` and `plans`. */
const BEFORE = BOARDS_YAML.replace(/^quotas:[\s\S]*?^types:/m, 'types:');

/** Counts boards as cards, and has no `boards`. */
const AFTER = BOARDS_YAML.replace(
  'cards: { types: [Card]',
  'cards: { types: [Board, Card]',
).replace(/^ {2}boards: .*\n/m, '');

async function versions(...texts: readonly string[]): Promise<readonly QuotaProject[]> {
  const made: QuotaProject[] = [];
  onTestFinished(async () => {
    for (const project of made) await project.remove();
  });
  for (const text of texts) made.push(await makeProject({ 'boards.yaml': text }, made.at(-1)));
  return made;
}

it('a start counts existing objects where the descriptor has new or other quotas', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [before, middle, after] = await versions(BEFORE, BOARDS_YAML, AFTER);
  const served = async (
    project: QuotaProject | undefined,
    work: (rig: QuotaRig) => Promise<void>,
  ) => {
    const rig = await serveQuotas(project?.root ?? '', undefined, folder);
    try {
      await work(rig);
    } finally {
      await rig.served.close();
    }
  };

  await served(before, async (rig) => {
    expect(rig.served.registry.methods.has('Quota/get')).toBe(false);
    for (let round = 0; round < 3; round += 1) await rig.cards(...'abcdefg');
    await rig.call('Board/set', { create: { b: { name: 'x' } } });
  });

  let known = '';
  await served(middle, async (rig) => {
    const { statements, store, registry } = rig.served;
    // The start has done it all: the first call only reads.
    statements.length = 0;
    const { list, state } = await rig.call('Quota/get', { ids: null });
    expect(statements.filter((sql) => /^(INSERT|UPDATE)/.test(sql))).toEqual([]);
    const used = Object.fromEntries(list.map((quota: Json) => [quota.name, quota.used]));
    expect(used).toEqual({ cards: 21, boards: 1, storage: await rig.octets() });
    // More than there may be: they can be read and destroyed, and no more are created.
    expect((await rig.cards('more')).notCreated.k0.type).toBe('overQuota');
    known = state;
    if (registry.quotas === null) throw new Error('There are no quotas.');
    const keeping = { store, conductor, quotas: registry.quotas };
    const deadline = performance.now() + 60_000;
    await changeTerms(keeping, 'a1', { deadline }, (_, terms) => ({ ...terms, plan: 'large' }));
    expect((await rig.cards('more')).notCreated).toBeNull();
  });

  await served(after, async (rig) => {
    const { list } = await rig.call('Quota/get', { ids: null });
    const cards = list.find((quota: Json) => quota.name === 'cards');
    expect(cards).toMatchObject({ used: 23, hardLimit: 1000, types: ['Board', 'Card'] });
    const { updated, destroyed } = await rig.call('Quota/changes', { sinceState: known });
    expect(updated).toContain(cards.id);
    expect(destroyed).toHaveLength(1);
  });
});
