import { longTests } from './example-project.js';
import { invoicingCases } from './invoicing-cases.js';

longTests('invoicing', invoicingCases);
