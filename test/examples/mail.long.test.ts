import { longTests } from './example-project.js';
import { mailCases } from './mail-cases.js';

longTests('mail', mailCases);
