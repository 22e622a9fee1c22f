import { useExample } from './example-project.js';
import { mailCases } from './mail-cases.js';
import { submissionCases } from './submission-cases.js';

// On PostgreSQL, with the conformance runner, in the long tier.
const example = useExample('mail');
mailCases(example);
submissionCases(example);
