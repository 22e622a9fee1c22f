import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.js';
import { fingerprint, readSurface, type Surface } from './surface.js';

/** The surface that CHANGELOG.md tells of. `UPDATE_SURFACE=1` writes it anew. */
const SNAPSHOT = join(ROOT, 'test/package/surface.json');

const surface = readSurface();

if (process.env['UPDATE_SURFACE'] === '1')
  writeFileSync(SNAPSHOT, `${JSON.stringify(surface, null, 2)}\n`);

const ADVICE = `
The public surface of the package (exports and bin of package.json, exports of
jmapsmith/capability) differs from test/package/surface.json. Where that is meant:
  UPDATE_SURFACE=1 npx vitest run --project fast test/package/exports.test.ts
and tell in CHANGELOG.md, in a line that ends with (surface ${fingerprint(surface)}),
what changes for those who use it.`;

it('is the public surface that the snapshot has', () => {
  const snapshot = JSON.parse(readFileSync(SNAPSHOT, 'utf8')) as Surface;
  expect(surface, ADVICE).toEqual(snapshot);
});

it('CHANGELOG.md names this surface', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  expect(changelog.includes(`(surface ${fingerprint(surface)})`), ADVICE).toBe(true);
});

it('exports what hook files and generated code import', () => {
  const { names, exports } = surface;
  expect(Object.keys(names)).toEqual(
    expect.arrayContaining(['CapabilityDefinition', 'HookRefusal', 'TypeHooks', 'frozen']),
  );
  expect(Object.keys(exports as object).sort()).toEqual([
    './capability',
    './descriptor.schema.json',
    './engine',
    './package.json',
    './prisma',
    './shared.schema.json',
    './standard',
    './testing',
    './tsconfig.json',
  ]);
});
