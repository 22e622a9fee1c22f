import { describe } from 'vitest';
import { TRANSPORTS } from '../support/todos.js';
import { retrySuite } from './retry-suite.js';

describe.each(TRANSPORTS.slice(1))('by %s', (_, over) => retrySuite(over));
