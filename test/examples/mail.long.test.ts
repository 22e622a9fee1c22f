import { longTests } from './example-project.js';
import { mailCases } from './mail-cases.js';
import { submissionCases } from './submission-cases.js';

longTests('mail', (example) => {
  mailCases(example);
  submissionCases(example);
});
