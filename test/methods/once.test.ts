import { onceCases } from './once-cases.js';

// On PostgreSQL: test/store/postgresql.test.ts, which has a server.
onceCases('sqlite', async () => null);
