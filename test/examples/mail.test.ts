import { useExample } from './example-project.js';
import { mailCases } from './mail-cases.js';

// On PostgreSQL, with the conformance runner, in the long tier.
mailCases(useExample('mail'));
