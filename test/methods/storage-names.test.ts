import { storageNames } from './storage-names.js';

// On PostgreSQL: test/store/postgresql.test.ts, which has a server.
storageNames('sqlite', async () => null);
