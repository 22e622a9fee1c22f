import { describe } from 'vitest';
import { invoicesSuite } from './invoices-suite.js';

// Stores don't know the rules: PostgreSQL is in the long tier.
describe('rules on SQLite', () => invoicesSuite('SQLite'));
