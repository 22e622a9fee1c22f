import type { Results } from '../outcome.js';
import { htmlReport } from './html.js';
import { jsonReport } from './json.js';
import { junitReport } from './junit.js';
import { textReport } from './text.js';

/** The ways to tell of a run, by the word behind --report. */
export const REPORTS: Readonly<Record<string, (results: Results) => string>> = Object.freeze({
  text: textReport,
  json: jsonReport,
  junit: junitReport,
  html: htmlReport,
});
