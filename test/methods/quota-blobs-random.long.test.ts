import { describe, expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { withSeeds } from '../support/random.js';
import { changeAlbums, randomAlbum } from './quota-blobs-random.js';
import { serveAlbum } from './quota-blobs-rig.js';

const postgresql = usePostgresql();

describe.each(['SQLite', 'PostgreSQL'])('quotas of blobs on %s', (database) => {
  it('random calls leave them exact', async () => {
    const project = await randomAlbum();
    onTestFinished(() => project.remove());
    const seeds = await withSeeds(4, async (seed) => {
      const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('quota');
      const rig = await serveAlbum(project.root, url);
      await changeAlbums(rig, 1000, seed).finally(() => rig.served.close());
    });
    expect(seeds).toMatch(/seed/);
  });
});
