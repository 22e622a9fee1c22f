import { ledgerSuite } from './ledger-suite.js';

ledgerSuite('PostgreSQL');
