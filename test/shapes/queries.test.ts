import { queriesSuite } from './queries-suite.js';

queriesSuite(2);
