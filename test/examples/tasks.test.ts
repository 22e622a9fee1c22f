import { useExample } from './example-project.js';
import { taskCases } from './tasks-cases.js';

// On PostgreSQL, with the conformance runner, in the long tier.
taskCases(useExample('tasks'));
