import { expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { BOARDS_YAML, makeProject, serveQuotas } from './quota-rig.js';
import { quotaSuite } from './quota-suite.js';

const postgresql = usePostgresql();

quotaSuite('PostgreSQL', () => postgresql().createDatabase('quota'));

it('two servers with many writers create as many objects as there is room for', async () => {
  const project = await makeProject({ 'boards.yaml': BOARDS_YAML });
  onTestFinished(() => project.remove());
  const url = await postgresql().createDatabase('quota');
  const rigs = await Promise.all([serveQuotas(project.root, url), serveQuotas(project.root, url)]);
  onTestFinished(async () => {
    for (const { served } of rigs) await served.close();
  });
  const answers = await Promise.all(
    Array.from({ length: 32 }, (_, writer) => rigs[writer % 2]?.cards(...'abc')),
  );
  const created = answers.flatMap((answer) => Object.keys(answer.created ?? {}));
  expect(created).toHaveLength(10);
  for (const rig of rigs) expect((await rig.quota('cards')).used).toBe(10);
});
