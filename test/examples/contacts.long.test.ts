import { contactCases } from './contacts-cases.js';
import { longTests } from './example-project.js';

longTests('contacts', contactCases);
