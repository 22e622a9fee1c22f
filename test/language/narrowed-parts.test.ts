import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProject, thing } from '../scripts/generator/project.js';
import { usePostgresql } from '../support/postgresql.js';
import { nextVersion, regenerate, serveType } from './rig.js';

const postgresql = usePostgresql();

/** The first version reads parts of `spot` and `stops` already. */
const WIDE = `properties:
  place: &one
    type: object
    properties: { n: { type: number }, at: { type: string, maxLength: 30 } }
    default: {}
  spot: *one
  steps: &many
    type: array
    items:
      type: object
      properties: { n: { type: number }, at: { type: string, maxLength: 30 } }
    default: []
  stops: *many
filter:
  spotN: { property: spot/n, is: atMost }
  spotAt: { property: spot/at, is: equals }
  stopsN: { property: stops/*/n, is: atMost }
  stopsAt: { property: stops/*/at, is: in }
`;

const NARROW = `drops: [place, spot, steps, stops]
${WIDE.replaceAll('type: number', 'type: integer')
  .replaceAll('string, maxLength: 30', 'string, format: utc-date')
  .replace('is: equals', 'is: after')
  .replace('is: in', 'is: after')}
  placeN: { property: place/n, is: atMost }
  placeAt: { property: place/at, is: after }
  stepsN: { property: steps/*/n, is: atMost }
  stepsAt: { property: steps/*/at, is: after }
sort: [place/n, place/at, spot/n]
`;

/** Values of the first version; the second takes only those of the first object. */
const VALUES = [
  { n: 2, at: '2026-01-31T12:00:00Z' },
  { n: 1.5, at: 'soon' },
  { n: 1e18, at: '2026-02-30T00:00:00Z' },
  { n: -1e300, at: '2026' },
];

const AFTER = '2020-01-01T00:00:00Z';

describe.each(['SQLite', 'PostgreSQL'])('parts that a next version narrows on %s', (database) => {
  it('conditions and sorts read what fits, and objects with the rest can be written', async () => {
    const url = database === 'SQLite' ? undefined : await postgresql().createDatabase('narrowed');
    const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-language-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await createProject({ 'things.yaml': thing(WIDE) });
    await regenerate(first);
    const before = await serveType(first, 'Thing', { url, folder });
    const ids: string[] = [];
    for (const value of VALUES) {
      const lists = { steps: [{ at: 'late' }, value], stops: [value, { n: 0.5 }] };
      ids.push((await before.create({ place: value, spot: value, ...lists }))[0]);
    }
    await before.served.close();
    const [a = '', b = '', c = ''] = ids;
    const second = await nextVersion(first, { 'things.yaml': thing(NARROW) });
    await regenerate(second);
    const after = await serveType(second, 'Thing', { url, folder });
    const expectAll = async (expected: readonly string[]): Promise<void> => {
      for (const part of ['place', 'spot', 'steps', 'stops']) {
        expect([part, await after.query({ [`${part}N`]: 9 })]).toEqual([part, expected]);
        expect([part, await after.query({ [`${part}At`]: AFTER })]).toEqual([part, expected]);
      }
    };
    try {
      await expectAll([a]);
      expect((await after.get(b)).place).toEqual(VALUES[1]);
      // The whole row is written anew, with the values that stay.
      await after.update(b, { steps: [{ n: 3 }, { at: AFTER }] });
      await after.update(c, { place: { n: 1 } });
      expect(await after.query({ stepsN: 9 })).toEqual([a, b].sort());
      expect(await after.query({ stepsAt: AFTER })).toEqual([a, b].sort());
      expect((await after.query({ placeN: 9 }, [{ property: 'place/n' }])).slice(-2)).toEqual([
        c,
        a,
      ]);
      expect(await after.query({ spotN: 9 }, [{ property: 'place/at' }])).toEqual([a]);
    } finally {
      await after.served.close();
    }
  });
});
