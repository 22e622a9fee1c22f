import { longTests } from './example-project.js';
import { taskCases } from './tasks-cases.js';

longTests('tasks', taskCases);
