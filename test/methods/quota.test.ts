import { quotaSuite } from './quota-suite.js';

quotaSuite('SQLite', async () => undefined);
