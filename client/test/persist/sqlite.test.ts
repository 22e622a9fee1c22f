import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { sqliteFile } from '../../src/persist/sqlite.js';
import { describeStore } from './contract.js';

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'new/client.db');

describeStore('the store in a file', { makeStore: () => sqliteFile(file) });
