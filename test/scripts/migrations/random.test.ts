import { afterEach, describe, it } from 'vitest';
import { closeAll, openSqlite } from './databases.js';
import { keepsReleases } from './random.js';

afterEach(closeAll);

describe('releases as they come', () => {
  it('keep on SQLite what no descriptor gives up, and leave nothing', () =>
    keepsReleases(openSqlite, 3));
});
