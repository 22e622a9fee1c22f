import type { Check } from '../check.js';
import { countRefused, countStatuses, type Outcome, type Results } from '../outcome.js';
import { type Cause, findCauses } from './causes.js';
import { groupBySection } from './sections.js';
import { makeHarmless, makeVisible } from './visible.js';

/** Returns the notes that must be known beside the outcomes. */
export function listNotes({ ended, warnings = [] }: Results): readonly string[] {
  return ended === undefined ? warnings : [...warnings, `The run is not whole: ${ended}`];
}

/**
 * Tells how many checks were not run because the server refuses legal objects; null where none was.
 */
export function tellRefusals(outcomes: readonly Outcome[]): string | null {
  const count = countRefused(outcomes);
  if (count === 0) return null;
  const checks = count === 1 ? '1 check was' : `${count} checks were`;
  return `NOT SHOWN: ${checks} not run, because the server refuses objects that are legal.`;
}

/**
 * Writes the report that a person reads at the end of a run: failures by their causes, a line a
 * section, checks that weren't run.
 */
export function writeText(results: Results): string {
  const { outcomes } = results;
  const causes = findCauses(outcomes);
  const lines = [writeHead(results), ''];
  for (const [n, cause] of causes.entries()) lines.push(...writeCause(cause, n + 1), '');
  for (const [name, list] of groupBySection(outcomes)) lines.push(writeSection(name, list));
  const reasons = listReasons(outcomes);
  if (reasons.length > 0) lines.push('', 'Not applicable:', ...reasons);
  const notes = listNotes(results);
  if (notes.length > 0) lines.push('', ...notes.map(makeVisible));
  lines.push('', writeTotal(outcomes));
  return makeHarmless(`${lines.join('\n')}\n`);
}

/** Causes and notes that a summary has room for. */
const MOST_CAUSES = 10;

/** Notes that a summary shows at the most. */
const MOST_NOTES = 4;
const SCREEN = 100;

/** Writes one screen: how many failed, by which causes, and what must be known beside it. */
export function writeSummary(results: Results): string {
  const { outcomes } = results;
  const causes = findCauses(outcomes);
  const lines = [writeHead(results), '', writeTotal(outcomes)];
  if (causes.length > 0) lines.push('', 'Probable causes, with how many checks fail by each:');
  for (const { words, outcomes: list } of causes.slice(0, MOST_CAUSES))
    lines.push(
      cutText(`${String(list.length).padStart(4)}  ${words} (${list[0]?.check.id})`, SCREEN),
    );
  if (causes.length > MOST_CAUSES) lines.push(`      and ${causes.length - MOST_CAUSES} more`);
  const notes = listNotes(results);
  if (notes.length > 0) lines.push('');
  // The reasons why a run is not whole come last, and must be read.
  if (notes.length > MOST_NOTES)
    lines.push(`${notes.length - MOST_NOTES} notes are in the report.`);
  lines.push(...notes.slice(-MOST_NOTES).map((note) => cutText(makeVisible(note), 4 * SCREEN)));
  return makeHarmless(`${lines.join('\n')}\n`);
}

/** Returns the head of a report: the server, the transport and the seed, and what isn't shown. */
function writeHead({ url, transport, seed, outcomes }: Results): string {
  const refusals = tellRefusals(outcomes);
  const head = `${url} over ${transport}, seed ${seed}`;
  return refusals === null ? head : `${head}\n${refusals}`;
}

/** Returns the line that counts all outcomes. */
function writeTotal(outcomes: readonly Outcome[]): string {
  const { passed, failed, notApplicable, defect } = countStatuses(outcomes);
  const refused = writeRefused(outcomes);
  const defects = defect === 0 ? '' : `, ${defect} not done by a defect of the runner`;
  return `${passed} passed, ${failed} failed, ${notApplicable} not applicable${refused}${defects}`;
}

/** Returns words for those of the checks that don't apply whose objects the server refused. */
function writeRefused(outcomes: readonly Outcome[]): string {
  const count = countRefused(outcomes);
  return count === 0 ? '' : ` (${count} by objects that the server refuses)`;
}

/** Returns the line of one section with its counts. */
function writeSection(name: string, list: readonly Outcome[]): string {
  const { passed, failed, notApplicable, defect } = countStatuses(list);
  const refused = writeRefused(list);
  const rest = notApplicable === 0 ? '' : `, ${notApplicable} not applicable${refused}`;
  const defects = defect === 0 ? '' : `, ${defect} by a defect of the runner`;
  // Where nothing was run, nothing is known to be right.
  const ok = refused === '' ? 'ok' : 'NOT ALL';
  const word = failed > 0 ? 'FAILED' : passed > 0 ? ok : '-';
  return `${word.padEnd(7)} ${name}: ${passed} passed, ${failed} failed${rest}${defects}`;
}

/** Writes a cause: the first of its failures whole, a line for each of the others. */
function writeCause({ words, outcomes }: Cause, n: number): string[] {
  const [first, ...others] = outcomes;
  if (first === undefined) return [];
  const count = outcomes.length === 1 ? '1 check' : `${outcomes.length} checks`;
  return [
    `Cause ${n}, ${count}: ${words}`,
    ...writeFailure(first),
    ...(others.length === 0 ? [] : ['  The same in:']),
    ...others.map((one) => `    ${writeTitle(one)}`),
  ];
}

const WORDS = Object.freeze({ failed: 'FAILED', defect: 'DEFECT', passed: '', notApplicable: '' });

/** Returns the URL of a check's section in its RFC. */
export const makeLink = ({ specification, section }: Check): string =>
  `https://www.rfc-editor.org/rfc/${specification.replace(' ', '').toLowerCase()}#section-${section}`;

/** Returns the line that begins the report of a failure. */
const writeTitle = ({ status, check, type }: Outcome): string =>
  `${WORDS[status]}  ${check.id}${type === null ? '' : ` (${type})`}: ` +
  `${check.specification} ${check.section}, ${check.level}`;

/** Writes the lines of a failure: rule, message, and the last exchange. */
function writeFailure(outcome: Outcome): string[] {
  const { check, failure } = outcome;
  const lines = [
    writeTitle(outcome),
    `  ${check.rule}`,
    `  ${makeLink(check)}`,
    ...(check.restsOn === undefined ? [] : [`  ${writeRestsOn(check)}`]),
    ...indent(failure?.message ?? ''),
  ];
  const last = failure?.exchanges.at(-1);
  if (last !== undefined) {
    lines.push(`  Request: ${last.request.line}`, ...indent(last.request.body));
    const status = last.answer?.status;
    lines.push(`  Answer:${status === undefined ? '' : ` ${status}`}`);
    lines.push(...indent(last.answer?.body ?? 'none'));
  }
  return lines;
}

/** Says what a reader must know of an expectation that is not the specification's alone. */
export const writeRestsOn = ({ restsOn: what = '' }: Check): string =>
  what === '' ? '' : `Rests on the type’s descriptor: ${what}.`;

/** Lines longer than this say no more to a reader: --report json has all of them. */
const WIDTH = 2000;

/** Shortens a text to a number of columns. */
const cutText = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

const indent = (text: string): string[] =>
  makeVisible(text)
    .split('\n')
    .map((line) => `    ${cutText(line, WIDTH)}`);

/** Returns the reasons why checks did not apply, each with its number of checks. */
function listReasons(outcomes: readonly Outcome[]): string[] {
  const counts = new Map<string, number>();
  for (const { status, reason = '', type } of outcomes) {
    if (status !== 'notApplicable') continue;
    const text = type === null ? reason : `${type}: ${reason}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(
    ([reason, count]) => `  ${String(count).padStart(4)}  ${cutText(makeVisible(reason), 400)}`,
  );
}
