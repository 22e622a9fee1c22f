import { describe } from 'vitest';
import { TRANSPORTS } from '../support/todos.js';
import { retrySuite } from './retry-suite.js';

// The other transports are in the long tier: most of the time goes into waiting.
describe.each(TRANSPORTS.slice(0, 1))('by %s', (_, over) => retrySuite(over));
