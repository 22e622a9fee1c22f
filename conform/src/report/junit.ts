import type { Builder } from 'junit-report-builder';
import junit from 'junit-report-builder';
import type { Outcome, Results } from '../outcome.js';
import { groupBySection } from './sections.js';
import { listNotes, makeLink, tellRefusals, writeRestsOn } from './text.js';
import { makeVisible } from './visible.js';

/**
 * The package's types tell of a `default` within the default import: there is none when it runs.
 */
const BUILDER = junit as unknown as Builder;

/** Writes the report that CI servers read: a suite for each section, a case for each check. */
export function writeJunit(results: Results): string {
  const { url, transport, seed, outcomes } = results;
  const builder = BUILDER.newBuilder();
  const notes = listNotes(results);
  const refusals = tellRefusals(outcomes);
  if (notes.length > 0 || refusals !== null) {
    const suite = builder.testSuite().name('The run');
    for (const note of notes)
      suite.testCase().className('The run').name('whole').error(cleanText(note));
    if (refusals !== null) suite.testCase().className('The run').name(refusals).skipped();
  }
  for (const [name, list] of groupBySection(outcomes)) {
    const suite = builder.testSuite().name(name);
    suite
      .property('url', cleanText(url))
      .property('transport', transport)
      .property('seed', String(seed));
    for (const outcome of list) {
      const { check, type, status, reason = '', failure, ms } = outcome;
      const one = suite.testCase().className(`${name}, ${check.level}`).name(writeTitle(outcome));
      one.time(ms / 1000);
      if (status === 'notApplicable') one.property('reason', cleanText(reason)).skipped();
      if (failure === undefined) continue;
      const words = cleanText(
        `${check.rule}\n${makeLink(check)}\n${writeRestsOn(check)}\n${failure.message}`,
      );
      if (status === 'defect') one.error(words, 'defect of the runner');
      else one.failure(words, type === null ? 'server' : cleanText(type));
      const last = failure.exchanges.at(-1);
      if (last !== undefined) one.standardOutput(cleanText(JSON.stringify(last, null, 2)));
    }
  }
  return builder.build();
}

/** Returns the name of a case: the check's id, and the type that it ran for. */
const writeTitle = ({ check, type }: Outcome): string =>
  type === null ? check.id : cleanText(`${check.id} (${type})`);

/**
 * Returns text without the characters that XML 1.0 can't write: most controls, and surrogates that
 * stand alone.
 */
function cleanText(text: string): string {
  return makeVisible(text)
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
