import { countOf, type Failure, type Outcome, type Results } from '../outcome.js';
import { type Cause, causesOf } from './causes.js';
import { plainly } from './json.js';
import { bySection } from './sections.js';
import { linkOf, notesOf, refusalsOf, restsOn } from './text.js';
import { visible } from './visible.js';

/** Returns a page that stands by itself: it has no script and loads nothing from elsewhere. */
export function htmlReport(results: Results): string {
  const { url, transport, seed, outcomes } = results;
  const counts = countOf(outcomes);
  const sections = [...bySection(outcomes)].map(([name, list]) => sectionOf(name, list));
  const causes = causesOf(outcomes);
  const defects =
    counts.defect === 0 ? '' : `,\n<strong>${counts.defect} defects of the runner</strong>`;
  const title = `Conformance of ${url}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${text(title)}</h1>
<p>Over ${text(transport)}, seed ${seed}: <strong class="passed">${counts.passed} passed</strong>,
<strong class="failed">${counts.failed} failed</strong>,
<strong>${counts.notApplicable} not applicable</strong>${defects}.</p>
${[refusalsOf(outcomes) ?? [], notesOf(results)]
  .flat()
  .map((note) => `<p class="failed"><strong>${text(note)}</strong></p>`)
  .join('\n')}
${listOf(causes)}
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
function sectionOf(name: string, outcomes: readonly Outcome[]): string {
  const { passed, failed, notApplicable } = countOf(outcomes);
  const heading = `${name}: ${passed} passed, ${failed} failed, ${notApplicable} not applicable`;
  return `<details${failed > 0 ? ' open' : ''}>
<summary><strong class="${failed > 0 ? 'failed' : 'passed'}">${text(heading)}</strong></summary>
<table>
<thead><tr><th>Check</th><th>Type</th><th>Level</th><th>Outcome</th><th>Rule</th></tr></thead>
<tbody>
${outcomes.map(rowOf).join('\n')}
</tbody>
</table>
</details>`;
}

/** Returns the list of probable causes; empty where nothing failed. */
const listOf = (causes: readonly Cause[]): string =>
  causes.length === 0
    ? ''
    : `<h2>What failed, by probable causes</h2>\n<ol>\n${causes.map(causeOf).join('\n')}\n</ol>`;

/** Returns a cause with links to its failures. */
const causeOf = ({ words, outcomes }: Cause): string =>
  `<li>${text(words)}: ${outcomes
    .map((one) => `<a href="#${anchorOf(one)}">${text(titleOf(one))}</a>`)
    .join(', ')}</li>`;

/** Returns the id of a check, with the type that it ran for. */
const titleOf = ({ check, type }: Outcome): string =>
  type === null ? check.id : `${check.id} (${type})`;

/** Returns the anchor of an outcome: links of the causes lead to it. */
const anchorOf = ({ check, type }: Outcome): string =>
  encodeURIComponent(type === null ? check.id : `${check.id}.${type}`);

/** Returns the row of an outcome, and below it the failure where there is one. */
function rowOf(outcome: Outcome): string {
  const { check, type, status, reason, failure } = outcome;
  const rests = check.restsOn === undefined ? '' : `<br>${text(restsOn(check))}`;
  const cells = [
    `<code>${text(check.id)}</code>`,
    text(type ?? ''),
    `<a href="${linkOf(check)}">${check.level}</a>`,
    `<span class="${status}">${WORDS[status]}</span>`,
    `${text(check.rule)}${rests}${reason === undefined ? '' : `<br><em>${text(reason)}</em>`}`,
  ];
  const columns = cells.map((cell) => `<td>${cell}</td>`).join('');
  const row = `<tr id="${anchorOf(outcome)}">${columns}</tr>`;
  return failure === undefined ? row : `${row}\n${failureOf(failure)}`;
}

/** Returns the details of a failure: the message, the two values and the requests. */
function failureOf({ message, expected, actual, exchanges }: Failure): string {
  const parts = [`<pre>${text(message)}</pre>`];
  if (expected !== undefined) parts.push(`Expected:<pre>${json(expected)}</pre>`);
  if (actual !== undefined) parts.push(`Received:<pre>${json(actual)}</pre>`);
  const last = exchanges.at(-1);
  if (last !== undefined) {
    parts.push(`Request: ${text(last.request.line)}<pre>${text(last.request.body)}</pre>`);
    const { status, body } = last.answer ?? { body: 'none' };
    parts.push(`Answer: ${status ?? ''}<pre>${text(body)}</pre>`);
  }
  return `<tr><td colspan="5">${parts.join('\n')}</td></tr>`;
}

/** Returns a value as JSON for people, indented by two blanks a level. */
const json = (value: unknown): string => text(JSON.stringify(value, plainly, 2) ?? 'undefined');

/** Returns text as HTML: markup in an answer of the server stays text. */
function text(value: string): string {
  return visible(value).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
