import type { Requirement, Section, Specification } from './requirements.js';

const HEAD = `# Conformance

<!-- Generated from conform/ledger/requirements.yaml by npm run page --workspace conform. Do not edit. -->

This page lists the rules of RFC 8620, RFC 8887 and RFC 9404, and what shows that this server keeps them.
The conformance runner (conform/README.md in the repository) runs the checks against any JMAP server.
Each rule is written out in conform/ledger/requirements.yaml under the same name.
A rule is a must and binds servers unless a word behind its name says otherwise.`;

/** Returns the page as Markdown: counts, then for each section its rules with what shows each. */
export function renderPage(sections: readonly Section[]): string {
  const parts = [HEAD, counts(sections)];
  let specification: Specification | undefined;
  for (const section of sections) {
    if (section.specification !== specification) parts.push(`## ${section.specification}`);
    specification = section.specification;
    parts.push(heading(section), section.rules.map(line).join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

function heading({ specification, number }: Section): string {
  const document = specification.replace('RFC ', 'rfc');
  const place = `https://www.rfc-editor.org/rfc/${document}#section-${number}`;
  return `### [${number}](${place})`;
}

function line(row: Requirement): string {
  const words = [row.level, row.binds].filter((word) => word !== 'must' && word !== 'server');
  const name = [`\`${row.name}\``, ...(words.length === 0 ? [] : [`(${words.join(', ')})`])];
  return `- ${[name.join(' '), proof(row)].filter((part) => part !== '').join(': ')}`;
}

/** The checks and tests that show a rule; the reason where there are none. */
function proof({ checks, tests, reason }: Requirement): string {
  const shown = [...checks, ...tests].map((one) => `\`${one}\``).join(', ');
  if (shown === '') return reason === BINDS_CLIENTS ? '' : (reason ?? '');
  return shown;
}

/** The reason that the name of a rule says already. */
const BINDS_CLIENTS = 'Binds clients.';

function counts(sections: readonly Section[]): string {
  const names = [...new Set(sections.map(({ specification }) => specification))];
  const rows = names.map((name) => {
    const rules = sections.filter((one) => one.specification === name).flatMap((one) => one.rules);
    return countLine(name, rules);
  });
  return [
    '| | rules | shown by checks | by tests alone | not shown |',
    '|---|---|---|---|---|',
    ...rows,
    countLine(
      'all',
      sections.flatMap(({ rules }) => rules),
    ),
  ].join('\n');
}

function countLine(name: string, rules: readonly Requirement[]): string {
  const byChecks = rules.filter(({ checks }) => checks.length > 0).length;
  const byTests = rules.filter(({ checks, tests }) => checks.length === 0 && tests.length > 0);
  const none = rules.length - byChecks - byTests.length;
  return `| ${name} | ${rules.length} | ${byChecks} | ${byTests.length} | ${none} |`;
}
