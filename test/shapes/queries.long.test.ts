import { queriesSuite } from './queries-suite.js';

queriesSuite(Number(process.env['SHAPES_STEPS'] ?? 8));
