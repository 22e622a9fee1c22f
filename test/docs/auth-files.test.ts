import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseSubnet } from '../../src/outbound/subnet.js';
import { readAuthFile } from '../../src/server/auth-file/auth-file.js';
import { guideSamples } from '../guide/blocks.js';
import { ROOT } from '../support/server.js';

/** The files of identity providers that the guide shows. */
const FILES = guideSamples('identity').filter(({ language }) => language === 'yaml');

function read(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-auth-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'auth.yaml');
  writeFileSync(path, text);
  const loopback = parseSubnet('127.0.0.1');
  return readAuthFile(path, loopback === null ? [] : [loopback]);
}

it.each(FILES.map((sample) => [sample.words, sample] as const))(
  '%s of docs/guide/identity.md is legal',
  (_, { text }) => {
    const { providers } = read(text);
    expect(providers).toHaveLength(1);
  },
);

it('docs/guide/identity.md shows auth.yaml of the example, and one file a provider', () => {
  expect(FILES.map(({ words }) => words)).toEqual([
    ...['auth.yaml', 'keycloak.yaml', 'entra.yaml', 'auth0.yaml', 'pocket-id.yaml'],
  ]);
  const example = readFileSync(join(ROOT, 'examples/identity/auth.yaml'), 'utf8');
  expect(FILES[0]?.text).toBe(example);
});

it('a recipe of docs/guide/identity.md has at most ten steps', () => {
  const page = readFileSync(join(ROOT, 'docs/guide/identity.md'), 'utf8');
  const [, ...recipes] = page.split(/^### /m);
  expect(recipes).toHaveLength(4);
  for (const recipe of recipes)
    expect(recipe.match(/^\d+\. /gm)?.length ?? 0).toBeLessThanOrEqual(10);
});
