import { destroyedRows } from './destroyed-rows.js';
import { Rig } from './rig.js';

// On PostgreSQL: test/store/postgresql.test.ts, which has a server.
destroyedRows('SQLite', async () => new Rig());
