import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const BUILD = pathToFileURL(join(import.meta.dirname, '../../scripts/build-team.mjs')).href;
const { prepareTeam } = (await import(BUILD)) as { prepareTeam(root: string): void };

it('says that a project whose tsconfig.json extends the package’s hasn’t installed it', () => {
  const root = mkdtempSync(join(tmpdir(), 'jmapsmith-team-'));
  try {
    writeFileSync(join(root, 'tsconfig.json'), '{ "extends": "jmapsmith/tsconfig.json" }\n');
    expect(() => prepareTeam(root)).toThrow(/jmapsmith is not installed in .*npm install/);
    writeFileSync(join(root, 'tsconfig.json'), '{}\n');
    expect(() => prepareTeam(root)).not.toThrow();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
