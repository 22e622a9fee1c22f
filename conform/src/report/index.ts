import type { Results } from '../outcome.js';
import { writeHtml } from './html.js';
import { writeJsonReport } from './json.js';
import { writeJunit } from './junit.js';
import { writeText } from './text.js';

/** Lists the ways to tell of a run, by the word behind --report. */
export const REPORTS: Readonly<Record<string, (results: Results) => string>> = Object.freeze({
  text: writeText,
  json: writeJsonReport,
  junit: writeJunit,
  html: writeHtml,
});
