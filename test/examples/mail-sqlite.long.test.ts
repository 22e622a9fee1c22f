import { useExample } from './example-project.js';
import { mailCases } from './mail-cases.js';
import { submissionCases } from './submission-cases.js';

// mail.long.test.ts is for PostgreSQL. The fast tier has examples/tasks.
const example = useExample('mail');
mailCases(example);
submissionCases(example);
