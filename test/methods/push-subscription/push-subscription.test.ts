import { describe } from 'vitest';
import { subscriptionSuite } from './suite.js';

// PostgreSQL is in the long tier. The fast one has limits-of-user.test.ts and push/servers.test.ts
// there.
describe('push subscriptions on SQLite', () => subscriptionSuite('SQLite'));
