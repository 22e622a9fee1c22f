import type { Requirement, Specification } from './requirements/index.js';

/** What stands between in docs/conformance.md is the ledger's; the rest is written by hand. */
export const LEDGER_BEGIN = '<!-- ledger: begin -->';
export const LEDGER_END = '<!-- ledger: end -->';

/** How a row stands: proven by checks, by tests alone, or not to be proven, with the reason. */
export type Proof = 'checks' | 'tests' | 'reason';

export function proofOf(row: Requirement): Proof {
  if ((row.checks ?? []).length > 0) return 'checks';
  return (row.tests ?? []).length > 0 ? 'tests' : 'reason';
}

/** The ledger as Markdown: a table of counts, then a table for each section. */
export function renderLedger(rows: readonly Requirement[]): string {
  const parts = [counts(rows)];
  let specification: Specification | null = null;
  for (const [section, ofSection] of bySection(rows)) {
    const spec = specOf(ofSection[0]);
    if (spec !== specification) parts.push(`### ${spec}`);
    specification = spec;
    parts.push(`#### ${section}`, sectionTable(ofSection));
  }
  return `${parts.join('\n\n')}\n`;
}

/** A page with the ledger put between its marks; null where it has no marks. */
export function withLedger(page: string, rows: readonly Requirement[]): string | null {
  const begin = page.indexOf(LEDGER_BEGIN);
  const end = page.indexOf(LEDGER_END);
  if (begin === -1 || end < begin) return null;
  const before = page.slice(0, begin + LEDGER_BEGIN.length);
  return `${before}\n\n${renderLedger(rows)}\n${page.slice(end)}`;
}

function specOf(row: Requirement | undefined): Specification {
  return row?.spec ?? 'RFC 8620';
}

function bySection(rows: readonly Requirement[]): Iterable<[string, Requirement[]]> {
  const sections = new Map<string, Requirement[]>();
  for (const row of rows) {
    // Two specifications may number a section alike; a heading of one page may not.
    const name = row.spec === undefined ? row.section : `${row.spec}, ${row.section}`;
    const known = sections.get(name);
    if (known === undefined) sections.set(name, [row]);
    else known.push(row);
  }
  return sections;
}

function counts(rows: readonly Requirement[]): string {
  const specs: readonly Specification[] = ['RFC 8620', 'RFC 8887', 'RFC 9404'];
  const line = (name: string, some: readonly Requirement[]): string => {
    const of = (proof: Proof): number => some.filter((row) => proofOf(row) === proof).length;
    return `| ${name} | ${some.length} | ${of('checks')} | ${of('tests')} | ${of('reason')} |`;
  };
  return [
    '| | rules | proven by checks | by tests alone | not to be proven here |',
    '|---|---|---|---|---|',
    ...specs.flatMap((spec) => {
      const some = rows.filter((row) => specOf(row) === spec);
      return (['must', 'should', 'may'] as const).map((level) =>
        line(
          `${spec}, ${level}`,
          some.filter((row) => row.level === level),
        ),
      );
    }),
    line('all', rows),
  ].join('\n');
}

function sectionTable(rows: readonly Requirement[]): string {
  return [
    '| rule | level | what is said | proof |',
    '|---|---|---|---|',
    ...rows.map((row) => {
      const slug = row.id.slice(row.id.indexOf(' ') + 1);
      const level = row.whom === 'server' ? row.level : `${row.level}, ${row.whom}`;
      return `| \`${slug}\` | ${level} | ${cell(row.rule)} | ${proofText(row)} |`;
    }),
  ].join('\n');
}

function proofText(row: Requirement): string {
  const checks = (row.checks ?? []).map((id) => `\`${id}\``);
  // Titles are in the data; the page names the files, each once.
  const files = new Set((row.tests ?? []).map((test) => fileOf(test)));
  // No links: the package ships this page, not the tests.
  const tests = [...files].map((file) => `\`${file}\``);
  return [...checks, ...tests, ...(row.reason === undefined ? [] : [cell(row.reason)])].join('; ');
}

/** The file of an entry of `tests`. */
export function fileOf(test: string): string {
  return test.split(' > ', 1)[0] ?? test;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}
