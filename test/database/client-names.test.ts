import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { clientNames } from '../../src/database/client-names.js';

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-names-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('calls tables and columns what the model beside a migration calls them', () => {
  const type = {
    ...{ name: 'Volume', table: 'Book' },
    properties: [{ name: 'size', column: 'size_2' }],
    shadows: [{ column: 'size_2_folded', property: 'size' }],
  };
  writeFileSync(
    join(folder, 'model.json'),
    JSON.stringify({ capabilities: [{ types: [type] }, {}] }),
  );
  const names = clientNames(folder);
  expect(names.type('Book')).toBe('Volume');
  expect(names.property('Book', 'size_2')).toBe('size');
  expect(names.property('Book', 'size_2_folded')).toBe('size');
  expect([names.type('Loan'), names.property('Loan', 'until')]).toEqual(['Loan', 'until']);
});

it('leaves the names of a migration that has no model, or none that can be read', () => {
  expect(clientNames(join(folder, 'none')).type('Book')).toBe('Book');
  writeFileSync(join(folder, 'model.json'), '{');
  expect(clientNames(folder).property('Book', 'size_2')).toBe('size_2');
});
