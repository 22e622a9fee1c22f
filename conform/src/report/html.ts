import { countStatuses, type Failure, type Outcome, type Results } from '../outcome.js';
import { type Cause, findCauses } from './causes.js';
import { replaceMatcher } from './json.js';
import { groupBySection } from './sections.js';
import { listNotes, makeLink, tellRefusals, writeRestsOn } from './text.js';
import { makeVisible } from './visible.js';

/** Returns a page that stands by itself: it has no script and loads nothing from elsewhere. */
export function writeHtml(results: Results): string {
  const { url, transport, seed, outcomes } = results;
  const counts = countStatuses(outcomes);
  const sections = [...groupBySection(outcomes)].map(([name, list]) => writeSection(name, list));
  const causes = findCauses(outcomes);
  const defects =
    counts.defect === 0 ? '' : `,\n<strong>${counts.defect} defects of the runner</strong>`;
  const title = `Conformance of ${url}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeText(title)}</h1>
<p>Over ${escapeText(transport)}, seed ${seed}:
<strong class="passed">${counts.passed} passed</strong>,
<strong class="failed">${counts.failed} failed</strong>,
<strong>${counts.notApplicable} not applicable</strong>${defects}.</p>
${[tellRefusals(outcomes) ?? [], listNotes(results)]
  .flat()
  .map((note) => `<p class="failed"><strong>${escapeText(note)}</strong></p>`)
  .join('\n')}
${writeCauses(causes)}
${sections.join('\n')}
</body>
</html>
`;
}

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #ccc; padding: .3rem .6rem; }
td, th { text-align: left; vertical-align: top; }
pre { background: #f4f4f4; overflow-x: auto; padding: .6rem; }
pre { white-space: pre-wrap; word-break: break-word; }
.passed { color: #14622b; } .failed { color: #a4161a; } .notApplicable { color: #555; }
summary { cursor: pointer; }
@media (prefers-color-scheme: dark) {
  body { background: #14161a; color: #e6e6e6; } pre { background: #22252b; }
  .passed { color: #7ddc98; } .failed { color: #ff8f8f; } .notApplicable { color: #aaa; }
}
`;

/** Colour is never the only carrier of meaning: each row says its status in words. */
const WORDS = Object.freeze({
  passed: 'passed',
  failed: 'FAILED',
  notApplicable: 'not applicable',
  defect: 'DEFECT of the runner',
});

/** Returns the table of one section. */
function writeSection(name: string, outcomes: readonly Outcome[]): string {
  const { passed, failed, notApplicable } = countStatuses(outcomes);
  const heading = `${name}: ${passed} passed, ${failed} failed, ${notApplicable} not applicable`;
  const word = failed > 0 ? 'failed' : 'passed';
  return `<details${failed > 0 ? ' open' : ''}>
<summary><strong class="${word}">${escapeText(heading)}</strong></summary>
<table>
<thead><tr><th>Check</th><th>Type</th><th>Level</th><th>Outcome</th><th>Rule</th></tr></thead>
<tbody>
${outcomes.map(writeRow).join('\n')}
</tbody>
</table>
</details>`;
}

/** Returns the list of probable causes; empty where nothing failed. */
const writeCauses = (causes: readonly Cause[]): string =>
  causes.length === 0
    ? ''
    : `<h2>What failed, by probable causes</h2>\n<ol>\n${causes.map(writeCause).join('\n')}\n</ol>`;

/** Returns a cause with links to its failures. */
const writeCause = ({ words, outcomes }: Cause): string =>
  `<li>${escapeText(words)}: ${outcomes
    .map((one) => `<a href="#${makeAnchor(one)}">${escapeText(writeTitle(one))}</a>`)
    .join(', ')}</li>`;

/** Returns the id of a check, with the type that it ran for. */
const writeTitle = ({ check, type }: Outcome): string =>
  type === null ? check.id : `${check.id} (${type})`;

/** Returns the anchor of an outcome: links of the causes lead to it. */
const makeAnchor = ({ check, type }: Outcome): string =>
  encodeURIComponent(type === null ? check.id : `${check.id}.${type}`);

/** Returns the row of an outcome, and below it the failure where there is one. */
function writeRow(outcome: Outcome): string {
  const { check, type, status, reason, failure } = outcome;
  const rests = check.restsOn === undefined ? '' : `<br>${escapeText(writeRestsOn(check))}`;
  const why = reason === undefined ? '' : `<br><em>${escapeText(reason)}</em>`;
  const cells = [
    `<code>${escapeText(check.id)}</code>`,
    escapeText(type ?? ''),
    `<a href="${makeLink(check)}">${check.level}</a>`,
    `<span class="${status}">${WORDS[status]}</span>`,
    `${escapeText(check.rule)}${rests}${why}`,
  ];
  const columns = cells.map((cell) => `<td>${cell}</td>`).join('');
  const row = `<tr id="${makeAnchor(outcome)}">${columns}</tr>`;
  return failure === undefined ? row : `${row}\n${writeFailure(failure)}`;
}

/** Returns the details of a failure: the message, the two values and the requests. */
function writeFailure({ message, expected, actual, exchanges }: Failure): string {
  const parts = [`<pre>${escapeText(message)}</pre>`];
  if (expected !== undefined) parts.push(`Expected:<pre>${writeJson(expected)}</pre>`);
  if (actual !== undefined) parts.push(`Received:<pre>${writeJson(actual)}</pre>`);
  const last = exchanges.at(-1);
  if (last !== undefined) {
    parts.push(
      `Request: ${escapeText(last.request.line)}<pre>${escapeText(last.request.body)}</pre>`,
    );
    const { status, body } = last.answer ?? { body: 'none' };
    parts.push(`Answer: ${status ?? ''}<pre>${escapeText(body)}</pre>`);
  }
  return `<tr><td colspan="5">${parts.join('\n')}</td></tr>`;
}

/** Returns a value as JSON for people, indented by two blanks a level. */
const writeJson = (value: unknown): string =>
  escapeText(JSON.stringify(value, replaceMatcher, 2) ?? 'undefined');

/** Returns text as HTML: markup in an answer of the server stays text. */
function escapeText(value: string): string {
  return makeVisible(value).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
