import { describe, it } from 'vitest';
import { openSqlite } from './databases.js';
import { keepsReleases } from './random.js';

describe('releases as they come', () => {
  it('keep on SQLite all data that no descriptor gives up, and leave nothing', () =>
    keepsReleases(openSqlite, 3));
});
