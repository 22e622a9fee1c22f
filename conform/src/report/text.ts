import type { Check } from '../check.js';
import { countOf, type Outcome, type Results } from '../outcome.js';
import { bySection } from './sections.js';

/** What must be known beside the outcomes. */
export function notesOf({ ended, warnings = [] }: Results): readonly string[] {
  return ended === undefined ? warnings : [...warnings, `The run is not whole: ${ended}`];
}

/** What a person reads at the end of a run: a line a section, and all of what failed. */
export function textReport(results: Results): string {
  const { url, transport, seed, outcomes } = results;
  const lines = [`${url} over ${transport}, seed ${seed}`, ''];
  for (const [name, list] of bySection(outcomes)) {
    const { passed, failed, notApplicable } = countOf(list);
    const rest = notApplicable === 0 ? '' : `, ${notApplicable} not applicable`;
    // Where nothing was run, nothing is known to be right.
    const word = failed > 0 ? 'FAILED' : passed > 0 ? 'ok' : '-';
    lines.push(`${word.padEnd(7)} ${name}: ${passed} passed, ${failed} failed${rest}`);
  }
  for (const outcome of outcomes)
    if (outcome.failure !== undefined) lines.push('', ...told(outcome));
  const reasons = reasonsOf(outcomes);
  if (reasons.length > 0) lines.push('', 'Not applicable:', ...reasons);
  const notes = notesOf(results);
  if (notes.length > 0) lines.push('', ...notes);
  const { passed, failed, notApplicable } = countOf(outcomes);
  lines.push('', `${passed} passed, ${failed} failed, ${notApplicable} not applicable`);
  return `${lines.join('\n')}\n`;
}

function told({ check, type, failure }: Outcome): string[] {
  const lines = [
    `FAILED  ${check.id}${type === null ? '' : ` (${type})`}: ${check.specification} ${check.section}, ${check.level}`,
    `  ${check.rule}`,
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

/** What a reader must know of an expectation that is not the specification's alone. */
export const restsOn = ({ restsOn: what = '' }: Check): string =>
  what === '' ? '' : `Rests on the type’s descriptor: ${what}.`;

/** Lines longer than this say no more to a reader: --report json has all of them. */
const WIDTH = 2000;

const indented = (text: string): string[] =>
  text.split('\n').map((line) => `    ${line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line}`);

function reasonsOf(outcomes: readonly Outcome[]): string[] {
  const counts = new Map<string, number>();
  for (const { status, reason = '', type } of outcomes) {
    if (status !== 'notApplicable') continue;
    const text = type === null ? reason : `${type}: ${reason}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `  ${String(count).padStart(4)}  ${reason}`);
}
