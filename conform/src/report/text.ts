import type { Check } from '../check.js';
import { countOf, countRefused, type Outcome, type Results } from '../outcome.js';
import { type Cause, causesOf } from './causes.js';
import { bySection } from './sections.js';
import { harmless, visible } from './visible.js';

/** Returns the notes that must be known beside the outcomes. */
export function notesOf({ ended, warnings = [] }: Results): readonly string[] {
  return ended === undefined ? warnings : [...warnings, `The run is not whole: ${ended}`];
}

/**
 * Tells how many checks were not run because the server refuses legal objects; null where none was.
 */
export function refusalsOf(outcomes: readonly Outcome[]): string | null {
  const count = countRefused(outcomes);
  if (count === 0) return null;
  const checks = count === 1 ? '1 check was' : `${count} checks were`;
  return `NOT SHOWN: ${checks} not run, because the server refuses objects that are legal.`;
}

/**
 * Writes the report that a person reads at the end of a run: failures by their causes, a line a
 * section, checks that weren't run.
 */
export function textReport(results: Results): string {
  const { outcomes } = results;
  const causes = causesOf(outcomes);
  const lines = [headOf(results), ''];
  for (const [n, cause] of causes.entries()) lines.push(...causeLines(cause, n + 1), '');
  for (const [name, list] of bySection(outcomes)) lines.push(sectionLine(name, list));
  const reasons = reasonsOf(outcomes);
  if (reasons.length > 0) lines.push('', 'Not applicable:', ...reasons);
  const notes = notesOf(results);
  if (notes.length > 0) lines.push('', ...notes.map(visible));
  lines.push('', totalOf(outcomes));
  return harmless(`${lines.join('\n')}\n`);
}

/** Causes and notes that a summary has room for. */
const MOST_CAUSES = 10;

/** Notes that a summary shows at the most. */
const MOST_NOTES = 4;
const SCREEN = 100;

/** One screen: how many failed, by which causes, and what must be known beside it. */
export function summaryOf(results: Results): string {
  const { outcomes } = results;
  const causes = causesOf(outcomes);
  const lines = [headOf(results), '', totalOf(outcomes)];
  if (causes.length > 0) lines.push('', 'Probable causes, with how many checks fail by each:');
  for (const { words, outcomes: list } of causes.slice(0, MOST_CAUSES))
    lines.push(cut(`${String(list.length).padStart(4)}  ${words} (${list[0]?.check.id})`, SCREEN));
  if (causes.length > MOST_CAUSES) lines.push(`      and ${causes.length - MOST_CAUSES} more`);
  const notes = notesOf(results);
  if (notes.length > 0) lines.push('');
  // The reasons why a run is not whole come last, and must be read.
  if (notes.length > MOST_NOTES)
    lines.push(`${notes.length - MOST_NOTES} notes are in the report.`);
  lines.push(...notes.slice(-MOST_NOTES).map((note) => cut(visible(note), 4 * SCREEN)));
  return harmless(`${lines.join('\n')}\n`);
}

/** Returns the head of a report: the server, the transport and the seed, and what isn't shown. */
function headOf({ url, transport, seed, outcomes }: Results): string {
  const refusals = refusalsOf(outcomes);
  const head = `${url} over ${transport}, seed ${seed}`;
  return refusals === null ? head : `${head}\n${refusals}`;
}

/** Returns the line that counts all outcomes. */
function totalOf(outcomes: readonly Outcome[]): string {
  const { passed, failed, notApplicable, defect } = countOf(outcomes);
  const refused = refusedWords(outcomes);
  const defects = defect === 0 ? '' : `, ${defect} not done by a defect of the runner`;
  return `${passed} passed, ${failed} failed, ${notApplicable} not applicable${refused}${defects}`;
}

/** Returns words for those of the checks that don't apply whose objects the server refused. */
function refusedWords(outcomes: readonly Outcome[]): string {
  const count = countRefused(outcomes);
  return count === 0 ? '' : ` (${count} by objects that the server refuses)`;
}

/** Returns the line of one section with its counts. */
function sectionLine(name: string, list: readonly Outcome[]): string {
  const { passed, failed, notApplicable, defect } = countOf(list);
  const refused = refusedWords(list);
  const rest = notApplicable === 0 ? '' : `, ${notApplicable} not applicable${refused}`;
  const defects = defect === 0 ? '' : `, ${defect} by a defect of the runner`;
  // Where nothing was run, nothing is known to be right.
  const ok = refused === '' ? 'ok' : 'NOT ALL';
  const word = failed > 0 ? 'FAILED' : passed > 0 ? ok : '-';
  return `${word.padEnd(7)} ${name}: ${passed} passed, ${failed} failed${rest}${defects}`;
}

/** A cause: the first of its failures whole, a line for each of the others. */
function causeLines({ words, outcomes }: Cause, n: number): string[] {
  const [first, ...others] = outcomes;
  if (first === undefined) return [];
  const count = outcomes.length === 1 ? '1 check' : `${outcomes.length} checks`;
  return [
    `Cause ${n}, ${count}: ${words}`,
    ...writeFailure(first),
    ...(others.length === 0 ? [] : ['  The same in:']),
    ...others.map((one) => `    ${titleOf(one)}`),
  ];
}

const WORDS = Object.freeze({ failed: 'FAILED', defect: 'DEFECT', passed: '', notApplicable: '' });

/** Returns the URL of a check's section in its RFC. */
export const linkOf = ({ specification, section }: Check): string =>
  `https://www.rfc-editor.org/rfc/${specification.replace(' ', '').toLowerCase()}#section-${section}`;

/** Returns the line that begins the report of a failure. */
const titleOf = ({ status, check, type }: Outcome): string =>
  `${WORDS[status]}  ${check.id}${type === null ? '' : ` (${type})`}: ` +
  `${check.specification} ${check.section}, ${check.level}`;

/** Returns the lines of a failure: rule, message, and the last exchange. */
function writeFailure(outcome: Outcome): string[] {
  const { check, failure } = outcome;
  const lines = [
    titleOf(outcome),
    `  ${check.rule}`,
    `  ${linkOf(check)}`,
    ...(check.restsOn === undefined ? [] : [`  ${restsOn(check)}`]),
    ...indented(failure?.message ?? ''),
  ];
  const last = failure?.exchanges.at(-1);
  if (last !== undefined) {
    lines.push(`  Request: ${last.request.line}`, ...indented(last.request.body));
    const status = last.answer?.status;
    lines.push(`  Answer:${status === undefined ? '' : ` ${status}`}`);
    lines.push(...indented(last.answer?.body ?? 'none'));
  }
  return lines;
}

/** Says what a reader must know of an expectation that is not the specification's alone. */
export const restsOn = ({ restsOn: what = '' }: Check): string =>
  what === '' ? '' : `Rests on the type’s descriptor: ${what}.`;

/** Lines longer than this say no more to a reader: --report json has all of them. */
const WIDTH = 2000;

/** Shortens a text to a number of columns. */
const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

const indented = (text: string): string[] =>
  visible(text)
    .split('\n')
    .map((line) => `    ${cut(line, WIDTH)}`);

/** Returns the reasons why checks did not apply, each with its number of checks. */
function reasonsOf(outcomes: readonly Outcome[]): string[] {
  const counts = new Map<string, number>();
  for (const { status, reason = '', type } of outcomes) {
    if (status !== 'notApplicable') continue;
    const text = type === null ? reason : `${type}: ${reason}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(
    ([reason, count]) => `  ${String(count).padStart(4)}  ${cut(visible(reason), 400)}`,
  );
}
