import { describe } from 'vitest';
import { invoicesSuite } from './invoices-suite.js';

describe('rules on PostgreSQL', () => invoicesSuite('PostgreSQL'));
