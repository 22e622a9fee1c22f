import { describe, expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { withSeeds } from '../support/random.js';
import { makeRandomCalls, stockProject } from './quota-random.js';
import { serveQuotas } from './quota-rig.js';

const postgresql = usePostgresql();

describe.each(['SQLite', 'PostgreSQL'])('quotas on %s', (database) => {
  it('10,000 random calls leave them exact', async () => {
    const project = await stockProject();
    onTestFinished(() => project.remove());
    const seeds = await withSeeds(4, async (seed) => {
      const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('quota');
      const rig = await serveQuotas(project.root, url);
      await makeRandomCalls(rig, 2500, seed).finally(() => rig.served.close());
    });
    expect(seeds).toMatch(/seed/);
  });
});
