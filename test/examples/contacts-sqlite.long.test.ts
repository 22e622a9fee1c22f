import { contactCases } from './contacts-cases.js';
import { useExample } from './example-project.js';

contactCases(useExample('contacts'));
