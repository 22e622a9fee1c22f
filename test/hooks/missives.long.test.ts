import { missivesSuite } from './missives-suite.js';

missivesSuite('PostgreSQL');
