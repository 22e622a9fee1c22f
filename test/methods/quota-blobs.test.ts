import { quotaBlobsSuite } from './quota-blobs-suite.js';

quotaBlobsSuite('SQLite', async () => undefined);
